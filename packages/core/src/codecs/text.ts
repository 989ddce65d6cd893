import { isUtf8 } from 'node:buffer'
import type { Bytes } from '../contract/bytes.ts'
import { StoreError } from '../contract/errors.ts'
import type { Layer } from '../stack/layer.ts'
import { type CodecCapabilities, freshCodec } from './codec.ts'
import { tooLong } from './too-long.ts'

/** How what other layers write begins: none of it is text in UTF-8. See their pages in docs/reference. */
const beginnings: readonly (readonly [beginning: readonly number[], looks: string, layer: string])[] = [
  [[0x9e, 0x75, 0x6b, 0x76], 'encrypted', 'encryption'],
  [[0xc1], 'compressed', 'compression'],
  [[0xf9], 'written as deltas', 'delta'],
]

/** Text as UTF-8. Lone surrogates are refused. */
export function text(): Layer<Bytes, string, CodecCapabilities> {
  return freshCodec({ name: 'text', encode: encodeText, decode: decodeText })
}

function encodeText(value: string): Bytes {
  if (typeof value !== 'string') throw new StoreError('INVALID_VALUE', 'text can hold only strings.')
  if (!value.isWellFormed())
    throw new StoreError('INVALID_VALUE', 'The text contains a lone surrogate, which UTF-8 cannot encode.')
  return Buffer.from(value, 'utf8')
}

/** @throws {StoreError} `CORRUPT` for bytes that are not UTF-8, `VALUE_TOO_LARGE` for more than a string can hold */
export function decodeText(stored: Bytes): string {
  if (!isUtf8(stored))
    throw new StoreError('CORRUPT', `The stored value is not UTF-8 text. ${otherLayerOf(stored)}`)
  try {
    return Buffer.from(stored.buffer, stored.byteOffset, stored.length).toString('utf8')
  } catch (error) {
    throw tooLong(error, stored.length) ?? error
  }
}

/** Advice for bytes that a codec did not write, by the layer of unikv that seems to have written them. */
function otherLayerOf(stored: Bytes): string {
  const found = beginnings.find(([beginning]) => beginning.every((byte, i) => stored[i] === byte))
  if (found === undefined) return 'Check that the same layers wrote it.'
  const [, looks, layer] = found
  return `It looks ${looks} by unikv: add the layer ${layer}() that wrote it, below the codec.`
}
