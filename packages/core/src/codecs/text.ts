import { isUtf8 } from 'node:buffer'
import type { Bytes } from '../contract/bytes.ts'
import { StoreError } from '../contract/errors.ts'
import type { Layer } from '../stack/layer.ts'
import { type CodecCapabilities, freshCodec } from './codec.ts'
import { otherLayerOf } from './other-layers.ts'
import { tooLong } from './too-long.ts'

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
