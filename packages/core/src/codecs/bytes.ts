import type { Bytes } from '../bytes.ts'
import { StoreError } from '../errors.ts'
import type { Layer } from '../layer.ts'
import { isBytes } from '../realms.ts'
import { type CodecCapabilities, codec } from './codec.ts'

/** Bytes as they are, checked to be bytes. For stacks that otherwise end in a codec. */
export function bytes(): Layer<Bytes, Bytes, CodecCapabilities> {
  return codec({
    name: 'bytes',
    encode: (value) => {
      if (isBytes(value)) return value
      throw new StoreError('INVALID_VALUE', 'bytes holds Uint8Array values only.')
    },
    decode: (stored) => stored,
  })
}
