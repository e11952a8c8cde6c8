//! The printer for WebAssembly: the codes of a program as a module of its own, for the CPU of a browser.
//!
//! [`block`](crate::block) executes one operation at a time over all lanes of a block, and values go through memory in between. A module
//! executes all operations for four lanes at a time, in locals. It has a function for each [`Pass`] over a block that can be printed, under the
//! number of the pass. Each reads its inputs from [`Arguments`](crate::block::Arguments), so that a module depends on the code alone: other
//! parameters need no other module. The memory is imported from the engine.
//!
//! Results are those of blocks, to the bit: the same operations in the same order, or fewer where they give the same bits, without relaxed
//! SIMD. Counts are drawn before, by blocks; sine, cosine and tangent of large arguments are called for each lane.

mod function;
mod graph;
mod layout;
mod math;
mod pass;
#[cfg(test)]
mod tests;
mod translate;

use spikelet_lang::program::Program;
use wasm_encoder::{
    CodeSection, EntityType, ExportKind, ExportSection, FunctionSection, ImportSection, MemoryType, Module, RefType, TableType,
    TypeSection, ValType,
};

use crate::block::{Pass, Precomputed};

/// The module that memory and functions are imported from, and their names.
pub const ENGINE: &str = "engine";
/// The memory.
pub const MEMORY: &str = "memory";
/// The table of functions, which those for single lanes are called through.
pub const FUNCTIONS: &str = "functions";

/// Pages of the largest memory.
const MAX_PAGES: u64 = 65536;

/// A program as a module.
#[derive(Debug)]
pub struct Printed {
    /// The module.
    pub bytes: Vec<u8>,
    /// For each pass what must be computed before; nothing where the module does not have it.
    pub passes: [Option<Vec<Precomputed>>; Pass::ALL.len()],
}

/// Prints a program. `split_precision` says which of its ports have remainders, `shared` whether several threads use the memory.
pub fn print(program: &Program, split_precision: &[bool], shared: bool) -> Printed {
    let mut types = TypeSection::new();
    types.ty().function([ValType::I32], [ValType::I32]);
    // Functions of single lanes, by the number of their arguments.
    types.ty().function([ValType::F32], [ValType::F32]);
    let mut imports = ImportSection::new();
    let maximum = shared.then_some(MAX_PAGES);
    let memory = MemoryType { minimum: 0, maximum, memory64: false, shared, page_size_log2: None };
    let table = TableType { element_type: RefType::FUNCREF, table64: false, minimum: 0, maximum: None, shared: false };
    imports.import(ENGINE, MEMORY, EntityType::Memory(memory)).import(ENGINE, FUNCTIONS, EntityType::Table(table));
    let (mut functions, mut exports, mut code) = (FunctionSection::new(), ExportSection::new(), CodeSection::new());
    let passes = Pass::ALL.map(|pass| {
        let (function, given) = pass::print(program, split_precision, pass)?;
        exports.export(&(pass as usize).to_string(), ExportKind::Func, functions.len());
        functions.function(layout::FUNCTION_TYPE);
        code.function(&function);
        Some(given)
    });
    let mut module = Module::new();
    module.section(&types).section(&imports).section(&functions).section(&exports).section(&code);
    Printed { bytes: module.finish(), passes }
}
