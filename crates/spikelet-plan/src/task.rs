//! Operations that may have to wait.

use std::future::Future;
use std::pin::Pin;

use spikelet_network::Error;

/// The result of an operation on a device, or of an exchange. Not `Send`, because GPU handles stay on one thread in a browser.
pub type Task<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + 'a>>;
