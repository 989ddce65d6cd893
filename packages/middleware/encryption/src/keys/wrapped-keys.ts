import type { Bytes } from '@unikv/core'
import { corrupt } from '../corrupt.ts'

/*
 * The section of wrapped data keys in a header (flag bit 5). Integers are big-endian.
 *
 *   2   length of the whole section, at most 4096
 *   1   count, 1 to 8
 *   for each: 1 + provider identifier, 2 + provider information, 2 + blob
 */

/** Longest section. */
export const maxWrappedBytes = 4096

/** Most providers that wrap one data key. */
export const maxProviders = 8

const leastBytes = 2 + 1 + (1 + 1) + 2 + (2 + 1)

/** A data key as one provider wrapped it. */
export interface WrappedKey {
  readonly providerId: string
  /** Data that the provider needs again, such as the name of its key. It is not secret. */
  readonly info: Bytes
  readonly blob: Bytes
}

/** Whether this names a provider: as identifiers of keys, and longer. */
export function isProviderId(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/.test(text)
}

/** The section of these keys; `undefined` if it would be longer than the format allows. */
export function encodeWrappedKeys(keys: readonly WrappedKey[]): Buffer | undefined {
  const parts = keys.flatMap(({ providerId, info, blob }) => [
    Buffer.from([providerId.length]),
    Buffer.from(providerId, 'latin1'),
    uint16(info.length),
    info,
    uint16(blob.length),
    blob,
  ])
  const length = 3 + parts.reduce((sum, part) => sum + part.length, 0)
  if (length > maxWrappedBytes) return undefined
  return Buffer.concat([uint16(length), Buffer.from([keys.length]), ...parts])
}

/**
 * Length of the section that begins at `at`, which fits into the bytes.
 *
 * @throws {StoreError} `CORRUPT`
 */
export function wrappedLength(bytes: Bytes, at: number): number {
  if (bytes.length < at + 2) throw corrupt('is cut short')
  const length = ((bytes[at] as number) << 8) | (bytes[at + 1] as number)
  if (length < leastBytes || length > maxWrappedBytes) throw wrong()
  if (bytes.length < at + length) throw corrupt('is cut short')
  return length
}

/**
 * The keys of a section of the right length.
 *
 * @throws {StoreError} `CORRUPT` if a part passes its end or the last does not end there, and for bad identifiers
 */
export function decodeWrappedKeys(section: Buffer): readonly WrappedKey[] {
  const count = section.readUInt8(2)
  if (count < 1 || count > maxProviders) throw wrong()
  const keys: WrappedKey[] = []
  let at = 3
  const part = (lengthBytes: number): Buffer => {
    if (at + lengthBytes > section.length) throw wrong()
    const from = at + lengthBytes
    at = from + section.readUIntBE(at, lengthBytes)
    if (at > section.length) throw wrong()
    return section.subarray(from, at)
  }
  while (keys.length < count) {
    const providerId = part(1).toString('latin1')
    const key = { providerId, info: part(2), blob: part(2) }
    if (!isProviderId(providerId) || key.blob.length === 0) throw wrong()
    keys.push(key)
  }
  if (at !== section.length) throw wrong()
  return keys
}

function wrong(): Error {
  return corrupt('has wrapped data keys that are not as they should be')
}

function uint16(length: number): Buffer {
  return Buffer.from([length >> 8, length & 0xff])
}
