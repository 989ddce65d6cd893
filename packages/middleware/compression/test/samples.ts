import { isStoreError } from '@unikv/core'
import type { Algorithm } from '../src/index.ts'

/** All, as the optional packages are there in tests. */
export const algorithms: readonly Algorithm[] = ['gzip', 'deflate', 'brotli', 'zstd', 'lz4', 'snappy']

/** Prose of exactly this many bytes, about as compressible as JSON. */
export function prose(length: number): Uint8Array {
  const words = ['store', 'value', 'layer', 'bytes', '{"id":', ',"name":"', '"}', ' ', 'ü', 'frame']
  let text = ''
  for (let i = 0; text.length < length; i++)
    text += `${words[(i * i + (i >> 3)) % words.length]}${(i * 7919) % 997}`
  return new TextEncoder().encode(text).subarray(0, length)
}

/** What `work` rejects or throws with, if that is a StoreError: its code. `undefined` if it succeeds. */
export async function codeOf(work: () => unknown): Promise<string | undefined> {
  try {
    await work()
  } catch (error) {
    if (isStoreError(error)) return error.code
    throw error
  }
  return undefined
}

/** A frame as the specification draws it, made here by hand. */
export function frameOf(algorithm: number, length: number, body: Uint8Array): Buffer {
  const header = Buffer.from([0xc1, algorithm, 0, 0, 0, 0])
  header.writeUInt32BE(length, 2)
  return Buffer.concat([header, body])
}

/** A small JSON value that resembles the others. */
export function record(n: number): string {
  const name = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing'][n % 3]
  return JSON.stringify({
    id: `customer-${(n * 7919) % 99_991}`,
    name,
    plan: n % 2 ? 'enterprise' : 'free',
    active: n % 5 > 0,
    createdAt: new Date(1.6e12 + n * 86_400_123).toISOString(),
    preferences: { language: 'en', notifications: { email: true, sms: n % 7 === 0 } },
  })
}
