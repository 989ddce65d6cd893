import { readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import type { Bytes } from '@unikv/core'
import { cannotLoad, requireFrom } from '@unikv/core/adapter'
import { once } from '../once.ts'

/** The used part of the package `@bokuweb/zstd-wasm`. It makes room for what the frame tells, or `defaultHeapSize`. */
export interface ZstdPackage {
  compress(bytes: Bytes, level: number): Bytes
  decompress(body: Bytes, options: { readonly defaultHeapSize: number }): Bytes
  compressUsingDict(context: number, bytes: Bytes, dictionary: Bytes, level: number): Bytes
  decompressUsingDict(
    context: number,
    body: Bytes,
    dictionary: Bytes,
    options: { readonly defaultHeapSize: number },
  ): Bytes
  createCCtx(): number
  createDCtx(): number
}

/** The package with a memory of its own, and its contexts in there. */
export interface ZstdInstance {
  readonly zstd: ZstdPackage
  readonly compressing: number
  readonly decompressing: number
}

/** The inside of the package, which lets it begin without a promise. */
interface WasmModule {
  instantiateWasm: (imports: object, receive: (instance: object) => void) => void
  init(path: string): void
  _malloc: (bytes: number) => number
  readonly _free: (address: number) => void
}

/** Every runtime has it, and the types of Node 20 do not know it. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Module: new (bytes: Bytes) => object
    readonly Instance: new (module: object, imports: object) => object
  }
}

const name = '@bokuweb/zstd-wasm'

/** Where the package is, and its code. */
export const zstdPackage: () => { readonly path: string; readonly code: object } = once(() => {
  try {
    const path = requireFrom(import.meta.url).resolve(name)
    return { path, code: new WebAssembly.Module(readFileSync(join(dirname(path), 'zstd.wasm'))) }
  } catch (cause) {
    throw cannotLoad(name, cause, `${name}@0.0.27`)
  }
})

/**
 * A new instance of the package, not shared with other code of this process: its functions stay with the memory of the
 * first `init` and its views go to that of the last, so a second `init`, by any code, would spoil what both write.
 *
 * @throws {StoreError} `INVALID_CONFIG` if the package cannot be loaded
 */
export function newZstdInstance(): ZstdInstance {
  const { path, code } = zstdPackage()
  const folder = dirname(path)
  const load = requireFrom(import.meta.url)
  return alone(load, folder, () => {
    const { Module } = load(join(folder, 'module.js')) as { readonly Module: WasmModule }
    Module.instantiateWasm = (imports, receive) => receive(new WebAssembly.Instance(code, imports))
    Module.init('')
    refuseNoRoom(Module)
    const zstd = load(path) as ZstdPackage
    return { zstd, compressing: zstd.createCCtx(), decompressing: zstd.createDCtx() }
  })
}

/** Run `work` as if no module of this folder had been loaded before, and leave no trace of those that it loads. */
function alone<T>({ cache }: NodeJS.Require, folder: string, work: () => T): T {
  const before = takenFrom(cache, folder)
  try {
    return work()
  } finally {
    takenFrom(cache, folder)
    Object.assign(cache, before)
  }
}

function takenFrom(cache: NodeJS.Require['cache'], folder: string): NodeJS.Require['cache'] {
  const taken = Object.entries(cache).filter(([path]) => path.startsWith(folder + sep))
  for (const [path] of taken) Reflect.deleteProperty(cache, path)
  return Object.fromEntries(taken)
}

/** The package takes an allocation that failed for an address, and would write over the beginning of its memory. */
function refuseNoRoom(module: WasmModule): void {
  module._free(module._malloc(1)) // from now on both are the functions themselves
  const { _malloc: allocate } = module
  module._malloc = (bytes) => {
    const address = allocate(bytes)
    if (address === 0) throw new RangeError(`no room for ${bytes} bytes`)
    return address
  }
}
