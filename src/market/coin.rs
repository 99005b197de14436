//! Figures and levels of the two venues that trade coins.

use super::basis_figure;
use super::decimal;
use super::figure::{Figure, Unfit, set};
use super::json::{Buffer, Field};
use super::model::{Change, Model, Scale, Side};

/// A coin's price.
pub(super) fn price(text: &str, model: Model) -> Figure {
    match model {
        Model::Exact => Ok(decimal::exact(text, Scale::COIN.price_decimals)?),
        Model::Basis => basis_figure::coin_price(text),
    }
}

/// A coin's size.
pub(super) fn size(text: &str, model: Model) -> Figure {
    match model {
        Model::Exact => Ok(decimal::exact(text, Scale::COIN.size_decimals)?),
        Model::Basis => basis_figure::coin_size(text),
    }
}

/// The level of a price and a size that must be strings.
pub(super) fn level(side: Side, fields: [Field<'_>; 2], model: Model) -> Result<Change, Unfit> {
    let [price_field, size_field] = fields;
    let (price_text, size_text) = (price_field.string()?, size_field.string()?);
    let price = price(price_text.decoded(&mut Buffer::new()), model);
    set(side, price, size(size_text.decoded(&mut Buffer::new()), model))
}
