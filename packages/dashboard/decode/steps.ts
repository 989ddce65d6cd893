import { pathToFileURL } from 'node:url'
import * as zlib from 'node:zlib'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { decode as decodeMsgpack } from '@msgpack/msgpack'
import { Decoder } from 'cbor-x/decode-no-eval'
import protobuf from 'protobufjs'
import { displayOf, mostText } from '../src/decode/display.ts'
import type { Decoded, Step } from '../src/decode/task.ts'
import { guessed } from './guess.ts'
import { imageType } from './images.ts'

/** Longest bytes after unpacking: a few bytes of an attacker may stand for very many. */
const mostUnpacked = 33_554_432

/** Makes of bytes what is shown of them, step by step. */
export async function decoded(
  bytes: Uint8Array,
  steps: readonly Step[] | 'guess',
  key: string,
  made: readonly string[] = [],
): Promise<Decoded> {
  if (steps === 'guess' || steps.length === 0) return decodedByGuess(bytes, key, made)
  const [step, ...others] = steps as readonly [Step, ...Step[]]
  const names = [...made, step.as]
  const unpack = unpackers[step.as]
  if (unpack !== undefined) return decoded(unpack(bytes), others, key, names)
  if (others.length > 0) throw new Error(`Nothing can follow ${step.as}: only gzip, brotli and zstd unpack.`)
  return { steps: names, ...(await last(bytes, step, key)) }
}

async function decodedByGuess(bytes: Uint8Array, key: string, made: readonly string[]): Promise<Decoded> {
  const as = guessed(bytes)
  // Packed twice is rare, and packed a hundred times an attack.
  if (as === 'hex' || (unpackers[as] !== undefined && made.length > 1))
    return { steps: [...made, 'hex'], kind: 'hex', ...(made.length > 0 ? { bytes } : {}) }
  return decoded(bytes, [{ as }], key, made)
}

const unpackers: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: (bytes) => gunzipSync(bytes, { maxOutputLength: mostUnpacked }),
  brotli: (bytes) => brotliDecompressSync(bytes, { maxOutputLength: mostUnpacked }),
  zstd: (bytes) => {
    const { zstdDecompressSync } = zlib as { readonly zstdDecompressSync?: typeof gunzipSync }
    if (zstdDecompressSync === undefined) throw new Error('zstd needs Node.js 22.15 or newer.')
    return zstdDecompressSync(bytes, { maxOutputLength: mostUnpacked })
  },
}

async function last(bytes: Uint8Array, step: Step, key: string): Promise<Omit<Decoded, 'steps'>> {
  if (step.as === 'module') return byModule(step.module, bytes, key)
  if (step.as === 'protobuf') return shown(await byProtobuf(bytes, step))
  if (step.as === 'image') {
    const type = imageType(bytes)
    if (type === undefined) throw new Error('This is not a PNG, JPEG, GIF, WebP or AVIF image.')
    return { kind: 'image', type, bytes }
  }
  if (step.as === 'msgpack') return shown(decodeMsgpack(bytes, { useBigInt64: true }))
  if (step.as === 'cbor') return shown(new Decoder({ mapsAsObjects: false, useRecords: false }).decode(bytes))
  if (step.as === 'hex') return { kind: 'hex', bytes }
  const text = new TextDecoder('utf-8', { fatal: step.as === 'json' }).decode(bytes)
  if (step.as === 'json') JSON.parse(text)
  return cut(step.as === 'json' ? 'json' : 'text', text)
}

function shown(value: unknown): Omit<Decoded, 'steps'> {
  if (typeof value === 'string') return cut('text', value)
  return { kind: 'json', text: displayOf(value) }
}

function cut(kind: 'json' | 'text', text: string): Omit<Decoded, 'steps'> {
  return { kind, text: text.slice(0, mostText), characters: text.length }
}

async function byProtobuf(
  bytes: Uint8Array,
  { proto, message }: { readonly proto: string; readonly message: string },
): Promise<unknown> {
  const root = await protobuf.load(proto)
  const type = root.lookupType(message)
  return type.toObject(type.decode(bytes), { longs: String, enums: String, defaults: true, oneofs: true })
}

/** The functions of a module of the application. */
interface OwnDecoder {
  readonly decode?: (bytes: Uint8Array, about: { readonly key: string }) => unknown
  readonly encode?: (value: unknown, about: { readonly key: string }) => unknown
}

async function ownDecoder(module: string): Promise<OwnDecoder> {
  const loaded = (await import(pathToFileURL(module).href)) as OwnDecoder & { readonly default?: OwnDecoder }
  return typeof loaded.decode === 'function' ? loaded : (loaded.default ?? {})
}

async function byModule(module: string, bytes: Uint8Array, key: string): Promise<Omit<Decoded, 'steps'>> {
  const { decode, encode } = await ownDecoder(module)
  if (typeof decode !== 'function') throw new Error(`${module} does not export a function 'decode'.`)
  return { ...shown(await decode(bytes, { key })), canEncode: typeof encode === 'function' }
}

/** The bytes of a value of a module's decoder. */
export async function encoded(module: string, value: unknown, key: string): Promise<Uint8Array> {
  const { encode } = await ownDecoder(module)
  if (typeof encode !== 'function') throw new Error(`${module} does not export a function 'encode'.`)
  const bytes: unknown = await encode(value, { key })
  if (bytes instanceof Uint8Array) return bytes
  throw new Error(`'encode' of ${module} must return a Uint8Array.`)
}
