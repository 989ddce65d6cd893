import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Bytes, StoreError } from '@unikv/core'
import { bufferOf, checkLength, type Method } from './engine.ts'
import { loadOnce, requireHere } from './optional-package.ts'
import { runOnThread } from './zstd-threads.ts'

/** What is used of the package `@bokuweb/zstd-wasm`. It makes room for what the frame tells, or `defaultHeapSize`. */
interface ZstdPackage {
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

/** The inside of the package, which lets it begin without a promise. */
interface WasmModule {
  instantiateWasm: (imports: object, receive: (instance: object) => void) => void
  init(path: string): void
}

/** What every runtime has, and the types of Node 20 do not know. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Module: new (bytes: Bytes) => object
    readonly Instance: new (module: object, imports: object) => object
  }
}

const name = '@bokuweb/zstd-wasm'

const load = loadOnce({ purpose: 'zstd on this runtime', name, version: '0.0.27' }, () => {
  const path = requireHere.resolve(name)
  const folder = dirname(path)
  const { Module } = requireHere(join(folder, 'module.js')) as { readonly Module: WasmModule }
  const wasm = new WebAssembly.Module(readFileSync(join(folder, 'zstd.wasm')))
  Module.instantiateWasm = (imports, receive) => receive(new WebAssembly.Instance(wasm, imports))
  Module.init('')
  const zstd = requireHere(path) as ZstdPackage
  return { zstd, path, compressing: zstd.createCCtx(), decompressing: zstd.createDCtx() }
})

/** Its memory ends at 2 GiB, for a value, its frame and all that is between. */
const maxBytes = 268_435_456

/**
 * Zstandard by the package `@bokuweb/zstd-wasm`, and its own threads.
 *
 * @throws {StoreError} `UNSUPPORTED` if it is not installed
 */
export function packagedZstd(dictionary: Buffer | undefined): Method {
  const { zstd, path, compressing, decompressing } = load()
  return {
    id: 4,
    levels: { min: 1, max: 19, default: 3 },
    syncOutputBytes: 65_536,
    syncBytes,
    compressNow: (bytes, level) => {
      checkRoom(bytes.length)
      if (dictionary === undefined) return bufferOf(zstd.compress(bytes, level))
      return bufferOf(zstd.compressUsingDict(compressing, bytes, dictionary, level))
    },
    compress: async (bytes, level) => {
      checkRoom(bytes.length)
      return bufferOf(await runOnThread(path, { verb: 'compress', bytes, dictionary, level }))
    },
    decompressNow: (body, length) => {
      checkRoom(length)
      const room = { defaultHeapSize: length }
      if (dictionary === undefined) return checkLength(bufferOf(zstd.decompress(body, room)), length)
      return checkLength(bufferOf(zstd.decompressUsingDict(decompressing, body, dictionary, room)), length)
    },
    decompress: async (body, length) => {
      checkRoom(length)
      const value = await runOnThread(path, { verb: 'decompress', bytes: body, dictionary, length })
      return checkLength(bufferOf(value), length)
    },
  }
}

function syncBytes(level: number): number {
  if (level <= 3) return 8192
  return level <= 6 ? 2048 : 0
}

function checkRoom(length: number): void {
  if (length <= maxBytes) return
  throw new StoreError(
    'VALUE_TOO_LARGE',
    `The value has ${length} bytes; zstd on this runtime takes ${maxBytes}. Use Node 22.15 or newer.`,
  )
}
