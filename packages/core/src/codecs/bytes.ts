import type { Bytes } from '../contract/bytes.ts'
import { StoreError } from '../contract/errors.ts'
import { isBytes } from '../platform/realms.ts'
import type { Layer } from '../stack/layer.ts'
import { type Codec, type CodecCapabilities, codecLayer } from './codec.ts'

/** Bytes as they are, checked to be bytes. For stacks that otherwise end in a codec. */
export function bytes(): Layer<Bytes, Bytes, CodecCapabilities> {
  // Core sees to whose bytes are, so this copies none.
  return codecLayer(plain, 'bytes', { increment: false }, false)
}

const plain: Codec<Bytes> = {
  name: 'bytes',
  encode: (value) => {
    if (isBytes(value)) return value
    throw new StoreError('INVALID_VALUE', 'bytes can hold only Uint8Array values.')
  },
  decode: (stored) => stored,
}
