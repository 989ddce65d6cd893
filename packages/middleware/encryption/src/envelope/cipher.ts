import { type CipherGCMTypes, createCipheriv, createDecipheriv, type DecipherGCM } from 'node:crypto'
import type { Bytes } from '@unikv/core'
import { release } from '../keys/release.ts'
import type { Suite } from './suites.ts'

/** Length of the tag: named on both sides, as Node accepts shorter ones otherwise. */
export const tagBytes = 16

/** Most bytes at a time: what Node's ciphers take. */
export const maxPlaintextBytes: number = 2 ** 31 - 1

/** Input of the cipher, the same in both directions. */
export interface CipherInput {
  readonly suite: Suite
  /** The derived key; a suite with shorter keys takes its first bytes. */
  readonly key: Buffer
  /** 12 bytes, never twice with one key. */
  readonly nonce: Buffer
  readonly associatedData: Buffer
}

/**
 * Large values go through the cipher in pieces, whose memory is given back at once. Pieces of the size of the cache are
 * best: the envelope that is made next then begins in memory that the cache holds still.
 */
const pieceBytes = 1_048_576

/** Below this, a copy of a plaintext costs less than one more call of the cipher. */
const leastBytesApart = 4_096

/** Encrypt parts one after the other to `target` from `at` on, and put the tag behind them. */
export function encrypt(input: CipherInput, parts: readonly Bytes[], target: Buffer, at: number): void {
  const { suite, key, nonce, associatedData } = input
  const options = { authTagLength: tagBytes }
  const cipher = createCipheriv(typed(suite), key.subarray(0, suite.keyBytes), nonce, options)
  cipher.setAAD(associatedData)
  let end = at
  for (const part of parts)
    for (let i = 0; i < part.length; i += pieceBytes) {
      const piece = cipher.update(part.subarray(i, i + pieceBytes))
      target.set(piece, end)
      end += piece.length
      release(piece)
    }
  cipher.final()
  target.set(cipher.getAuthTag(), end)
}

/** The plaintext of ciphertext and tag, or `undefined` if they are not authentic: nothing comes out unverified. */
export function decrypt(input: CipherInput, ciphertext: Bytes, tag: Bytes): Buffer | undefined {
  const decipher = decipherOf(input, tag)
  const plaintext = decipher.update(ciphertext)
  return isAuthentic(decipher) ? plaintext : undefined
}

/** The same in two parts. The rest of a large plaintext, behind the first `headBytes`, is alone in its memory. */
export function decryptParts(
  input: CipherInput,
  ciphertext: Bytes,
  tag: Bytes,
  headBytes: number,
): readonly [head: Buffer, rest: Buffer] | undefined {
  if (ciphertext.length < leastBytesApart) {
    const plaintext = decrypt(input, ciphertext, tag)
    return plaintext && [plaintext.subarray(0, headBytes), plaintext.subarray(headBytes)]
  }
  const decipher = decipherOf(input, tag)
  const head = decipher.update(ciphertext.subarray(0, headBytes))
  const rest = decipher.update(ciphertext.subarray(headBytes))
  return isAuthentic(decipher) ? [head, rest] : undefined
}

function decipherOf({ suite, key, nonce, associatedData }: CipherInput, tag: Bytes): DecipherGCM {
  const options = { authTagLength: tagBytes }
  const decipher = createDecipheriv(typed(suite), key.subarray(0, suite.keyBytes), nonce, options)
  decipher.setAAD(associatedData)
  decipher.setAuthTag(tag)
  return decipher
}

function isAuthentic(decipher: DecipherGCM): boolean {
  try {
    decipher.final()
    return true
  } catch {
    return false
  }
}

/** Node's types know the ciphers in groups; with these options, all of ours are used alike. */
function typed({ algorithm }: Suite): CipherGCMTypes {
  return algorithm as CipherGCMTypes
}
