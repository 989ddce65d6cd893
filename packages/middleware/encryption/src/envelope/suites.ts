import { StoreError } from '@unikv/core/adapter'

/** Cipher of new envelopes. Every algorithm here stays readable. */
export type Algorithm = 'aes-256-gcm' | 'aes-128-gcm' | 'chacha20-poly1305'

/** Meaning of one byte of an envelope: cipher, length of its key, and what its key derivation is bound to. */
export interface Suite {
  readonly id: number
  readonly algorithm: Algorithm
  readonly keyBytes: number
  /** HKDF info: format version, suite and purpose, so that a key of one never serves another. */
  readonly info: string
}

/** Frozen: part of the stored format. */
const suites: readonly Suite[] = [
  { id: 1, algorithm: 'aes-256-gcm', keyBytes: 32, info: 'unikv/1/aes-256-gcm/envelope' },
  { id: 2, algorithm: 'aes-128-gcm', keyBytes: 16, info: 'unikv/1/aes-128-gcm/envelope' },
  { id: 3, algorithm: 'chacha20-poly1305', keyBytes: 32, info: 'unikv/1/chacha20-poly1305/envelope' },
]

/** The suite that an envelope names, if this version knows it. */
export function suiteOfId(id: number): Suite | undefined {
  return suites.find((suite) => suite.id === id)
}

/**
 * The suite of an option.
 *
 * @throws {StoreError} `INVALID_CONFIG` for an unknown algorithm
 */
export function suiteOf(algorithm: Algorithm): Suite {
  const suite = suites.find((one) => one.algorithm === algorithm)
  if (suite !== undefined) return suite
  const known = suites.map((one) => one.algorithm).join(', ')
  throw new StoreError('INVALID_CONFIG', `The algorithm of an encryption must be one of: ${known}.`)
}
