//! Where an order goes once every stage has let it through.

use super::order::Order;

/// Takes orders over. Called on the thread that serves the sockets, so it must hand over and return, never wait.
pub trait Dispatch {
    /// Takes one order over.
    fn dispatch(&mut self, order: &Order<'_>);
}

/// Fires into nothing, as the reference benchmark's fake exchange does.
#[derive(Debug, Clone, Copy, Default)]
pub struct DispatchNothing;

impl Dispatch for DispatchNothing {
    fn dispatch(&mut self, _order: &Order<'_>) {}
}
