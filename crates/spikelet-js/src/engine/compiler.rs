//! Compiles programs of neurons to WebAssembly modules on the memory of the engine.
//!
//! Each thread has an instance of a module, because each Worker has a function table of its own. The functions of an instance are in that table,
//! so that the engine calls them as it calls its own.
#![allow(unsafe_code, reason = "a number of the function table becomes a function, and compiled code uses memory by addresses")]

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use js_sys::WebAssembly::{Instance, Module, Table};
use js_sys::{Function, Object, Reflect, Uint8Array};
use spikelet::lang::Program;
use spikelet_kernel::block::{Arguments, Compiled, Compiler, Functions, Pass};
use spikelet_kernel::wasm::{self, Printed};
use wasm_bindgen::{JsCast, JsValue};

use super::command_error::in_words;

/// Whether the memory of the engine is shared by threads.
const SHARED: bool = cfg!(target_feature = "atomics");

/// Modules that are kept for the next networks.
const KEPT: usize = 32;

/// The compiler of the engine.
#[derive(Debug, Default)]
pub struct WasmCompiler {
    /// Modules in use: populations with the same program share one.
    used: Mutex<Vec<Weak<ProgramModule>>>,
}

impl WasmCompiler {
    /// The compiler, if the host allows it.
    ///
    /// # Errors
    /// The reason why it does not.
    pub fn start() -> Result<Arc<WasmCompiler>, String> {
        let functions = || -> Result<(), JsValue> {
            let Printed { bytes, .. } = wasm::print(&Program::default(), &[], SHARED);
            let module = ProgramModule::new(bytes);
            THREAD.with_borrow_mut(|thread| thread.instance(&module)).map(|_| ())
        };
        functions().map_err(|error| format!("the browser does not compile modules here: {}", in_words(&error)))?;
        Ok(Arc::new(WasmCompiler::default()))
    }

    /// The module of these bytes.
    fn module(&self, bytes: Vec<u8>) -> Arc<ProgramModule> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|module| module.strong_count() > 0);
        if let Some(module) = used.iter().filter_map(Weak::upgrade).find(|module| module.bytes == bytes) {
            return module;
        }
        let module = Arc::new(ProgramModule::new(bytes));
        used.push(Arc::downgrade(&module));
        module
    }
}

impl Compiler for WasmCompiler {
    fn compile(&self, program: &Program, split_precision: &[bool]) -> Option<Compiled> {
        let Printed { bytes, passes } = wasm::print(program, split_precision, SHARED);
        let module = self.module(bytes);
        THREAD.with_borrow_mut(|thread| thread.instance(&module)).ok()?;
        Some(Compiled { functions: module, passes: Arc::new(passes) })
    }
}

/// A module, which every thread makes an instance of.
#[derive(Debug)]
struct ProgramModule {
    /// Its number, which no other module has.
    number: u32,
    bytes: Vec<u8>,
}

impl ProgramModule {
    fn new(bytes: Vec<u8>) -> ProgramModule {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        ProgramModule { number: NEXT.fetch_add(1, Ordering::Relaxed), bytes }
    }
}

impl Functions for ProgramModule {
    unsafe fn run(&self, pass: Pass, arguments: &Arguments) -> Option<bool> {
        let entries = THREAD.with_borrow_mut(|thread| thread.instance(self)).ok()?;
        let entry = entries[pass as usize]?;
        // SAFETY: in wasm a function pointer is a position in the function table, and a function of this type was put there.
        let function = unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(*const Arguments) -> u32>(entry as usize) };
        // SAFETY: guaranteed by the caller.
        Some(unsafe { function(arguments) } != 0)
    }
}

impl Drop for ProgramModule {
    fn drop(&mut self) {
        // A thread that ends has no table any more.
        let _ = THREAD.try_with(|thread| thread.borrow_mut().release(self.number));
    }
}

/// Positions of the functions of an instance, by the number of the pass.
type TableEntries = [Option<u32>; Pass::ALL.len()];

/// The instances of a thread.
#[derive(Default)]
struct ThreadInstances {
    /// By the number of the module.
    instances: Vec<(u32, TableEntries)>,
    /// Compiled modules by their bytes, the latest one last.
    modules: Vec<(Vec<u8>, Module)>,
    /// Free positions in the table.
    free: Vec<u32>,
}

thread_local! {
    static THREAD: RefCell<ThreadInstances> = RefCell::default();
}

impl ThreadInstances {
    /// The functions of a module, of which an instance is made if there is none.
    #[inline]
    fn instance(&mut self, module: &ProgramModule) -> Result<TableEntries, JsValue> {
        match self.instances.iter().find(|(number, _)| *number == module.number) {
            Some((_, entries)) => Ok(*entries),
            None => self.instantiate(module),
        }
    }

    #[cold]
    fn instantiate(&mut self, module: &ProgramModule) -> Result<TableEntries, JsValue> {
        let compiled = self.compiled(&module.bytes)?;
        let (imports, engine) = (Object::new(), Object::new());
        Reflect::set(&engine, &wasm::MEMORY.into(), &wasm_bindgen::memory())?;
        Reflect::set(&engine, &wasm::FUNCTIONS.into(), &wasm_bindgen::function_table())?;
        Reflect::set(&imports, &wasm::ENGINE.into(), &engine)?;
        let exports = Instance::new(&compiled, &imports)?.exports();
        let mut entries = TableEntries::default();
        for (pass, entry) in entries.iter_mut().enumerate() {
            let function = Reflect::get(&exports, &pass.to_string().into())?;
            if let Some(function) = function.dyn_ref::<Function>() {
                *entry = Some(self.enter(function)?);
            }
        }
        self.instances.push((module.number, entries));
        Ok(entries)
    }

    /// The bytes, compiled.
    fn compiled(&mut self, bytes: &[u8]) -> Result<Module, JsValue> {
        let compiled = match self.modules.iter().position(|(of, _)| of == bytes) {
            Some(at) => self.modules.remove(at).1,
            // A copy: hosts do not compile what is in a shared memory.
            None => Module::new(&Uint8Array::from(bytes))?,
        };
        if self.modules.len() == KEPT {
            self.modules.remove(0);
        }
        self.modules.push((bytes.to_vec(), compiled.clone()));
        Ok(compiled)
    }

    /// Puts a function into the table.
    fn enter(&mut self, function: &Function) -> Result<u32, JsValue> {
        let table = table();
        let entry = match self.free.pop() {
            Some(entry) => entry,
            None => table.grow(1)?,
        };
        table.set(entry, function)?;
        Ok(entry)
    }

    /// Frees what a module took in the table.
    fn release(&mut self, number: u32) {
        let Some(at) = self.instances.iter().position(|(of, _)| *of == number) else { return };
        for entry in self.instances.swap_remove(at).1.into_iter().flatten() {
            let _ = table().set(entry, JsValue::NULL.unchecked_ref());
            self.free.push(entry);
        }
    }
}

fn table() -> Table {
    wasm_bindgen::function_table().unchecked_into()
}
