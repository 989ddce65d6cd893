import {
  type CipherGCMTypes,
  createCipheriv,
  createDecipheriv,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { StoreError } from '@unikv/core'
import type { Algorithm } from '../../src/index.ts'
import { type Form, type Place, roots, type Subject } from './subject.ts'

/** What is wrong with an implementation, so that the judge has something to find. */
export const bugs = [
  'tags are not verified',
  'short tags are accepted',
  'the dataset is not bound',
  'the key is not bound',
  'the kind is not bound',
  'the codec is not bound',
  'the context is not bound',
  'fields are bound without their lengths',
  'neither header nor padding is looked at',
  'the header is not bound, nor the commitment compared',
  'every key is tried, and the header not bound',
  'the last chunk is not marked, and the length not checked',
  'chunks have no numbers',
  'the first chunk alone is verified',
  'the true length is not checked',
  'padding is not looked at',
  'what is no envelope is handed on',
] as const

/** One of them; `none` is an implementation that is right. */
export type Bug = (typeof bugs)[number] | 'none'

const suites: readonly Algorithm[] = ['aes-256-gcm', 'aes-128-gcm', 'chacha20-poly1305']
const magic = Buffer.from('9e756b76', 'hex')
const padded = 0x08
const chunked = 0x10

/** An implementation of its own, after docs/reference/envelope.md, with one bug. */
export function planted(bug: Bug): Subject & {
  /** An authentic envelope of a plaintext that nobody should make. */
  readonly sealInside: (plaintext: Buffer, place: Place, form: Form) => Buffer
} {
  const is = (one: Bug): boolean => bug === one
  const bindsHeader = !(
    is('neither header nor padding is looked at') ||
    is('the header is not bound, nor the commitment compared') ||
    is('every key is tried, and the header not bound')
  )

  function bound(header: Buffer, { dataset, kind, codec, context, key }: Place): Buffer {
    const fields = [
      bindsHeader ? header : Buffer.alloc(0),
      is('the dataset is not bound') ? '' : dataset,
      is('the kind is not bound') ? '' : kind,
      is('the codec is not bound') ? '' : codec,
      is('the context is not bound') ? '' : context,
      is('the key is not bound') ? '' : key,
    ]
    return Buffer.concat(
      fields.flatMap((field) => {
        const bytes = Buffer.from(field as string)
        return is('fields are bound without their lengths') ? [bytes] : [number(bytes.length, 4), bytes]
      }),
    )
  }

  function nonce(index: number, mark: number, chunk: number): Buffer {
    const told = is('the last chunk is not marked, and the length not checked') ? 1 : mark
    const counted = is('chunks have no numbers') ? 0 : chunk
    return Buffer.concat([Buffer.of(0, 0, 0, mark === 0 ? 0 : told), number(counted, 4), number(index, 4)])
  }

  function sealInside(plaintext: Buffer, place: Place, form: Form): Buffer {
    const salt = randomBytes(32)
    const { key, commitment } = derive(roots[form.keyId], salt, form.algorithm)
    const flags = (form.paddedTo === 0 ? 0 : padded) | (form.chunkBytes === 0 ? 0 : chunked)
    const header = Buffer.concat([
      magic,
      Buffer.of(1, suites.indexOf(form.algorithm) + 1, flags, 0x42),
      Buffer.from(`main${form.keyId}`),
      number(0, 4),
      salt,
      commitment,
      ...(form.chunkBytes === 0 ? [] : [Buffer.of(Math.log2(form.chunkBytes))]),
    ])
    const data = bound(header, place)
    const pieces = form.chunkBytes === 0 ? [plaintext] : cut(plaintext, form.chunkBytes)
    const sealed = pieces.map((piece, i) => {
      const mark = form.chunkBytes === 0 ? 0 : i === pieces.length - 1 ? 2 : 1
      const cipher = createCipheriv(form.algorithm as CipherGCMTypes, key, nonce(0, mark, i), {
        authTagLength: 16,
      })
      cipher.setAAD(data)
      return Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()])
    })
    return Buffer.concat([header, ...sealed])
  }

  function verified(
    { algorithm, key, data }: { readonly algorithm: Algorithm; readonly key: Buffer; readonly data: Buffer },
    nonceBytes: Buffer,
    sealed: Buffer,
    isChecked: boolean,
  ): Buffer {
    const full = sealed.length - 16
    const decipher = (tagLength: number) => {
      const made = createDecipheriv(algorithm as CipherGCMTypes, key, nonceBytes, {
        authTagLength: tagLength,
      })
      made.setAAD(data)
      return made
    }
    let tagAt = full
    if (is('short tags are accepted') && algorithm !== 'chacha20-poly1305') {
      const told = decipher(16).update(sealed.subarray(0, 4))
      const left = sealed.length - 4 - told.readUInt32BE(0)
      if ([4, 8, 12, 13, 14, 15].includes(left)) tagAt = sealed.length - left
    }
    const made = decipher(sealed.length - tagAt)
    made.setAuthTag(sealed.subarray(tagAt))
    const plaintext = made.update(sealed.subarray(0, tagAt))
    if (!isChecked || is('tags are not verified')) return plaintext
    try {
      made.final()
    } catch {
      throw refused('AUTHENTICATION_FAILED')
    }
    return plaintext
  }

  function open(envelope: Buffer, place: Place): Uint8Array {
    if (is('what is no envelope is handed on') && !envelope.subarray(0, 4).equals(magic)) return envelope
    const flags = envelope[6] ?? 255
    const algorithm = suites[(envelope[5] ?? 0) - 1]
    const isChunked = (flags & chunked) !== 0
    const bodyAt = 14 + 68 + (isChunked ? 1 : 0)
    const isShort = envelope.length < bodyAt + (isChunked ? 24 : 20)
    const isOdd = envelope[4] !== 1 || envelope[7] !== 0x42 || (flags & ~(padded | chunked)) !== 0
    if (!envelope.subarray(0, 4).equals(magic) || isShort || isOdd || algorithm === undefined)
      throw refused('CORRUPT')
    const exponent = isChunked ? (envelope[bodyAt - 1] as number) : 10
    if (exponent < 10 || exponent > 24) throw refused('CORRUPT')
    const header = envelope.subarray(0, bodyAt)
    const key = keyOf(header, algorithm)
    const index = envelope.readUInt32BE(14)
    const data = bound(header, place)
    const sealed = isChunked
      ? cut(envelope.subarray(bodyAt), 2 ** exponent + 16)
      : [envelope.subarray(bodyAt)]
    const pieces = sealed.map((piece, i) => {
      if (piece.length <= 16) throw refused('AUTHENTICATION_FAILED')
      const mark = isChunked ? (i === sealed.length - 1 ? 2 : 1) : 0
      const isChecked = i === 0 || !is('the first chunk alone is verified')
      return verified({ algorithm, key, data }, nonce(index, mark, i), piece, isChecked)
    })
    return inside(Buffer.concat(pieces), flags)
  }

  function keyOf(header: Buffer, algorithm: Algorithm): Buffer {
    const salt = header.subarray(18, 50)
    const isTrial = is('every key is tried, and the header not bound')
    const named = header.toString('latin1', 8, 14)
    const ids = isTrial
      ? (['k1', 'k2'] as const)
      : (['k1', 'k2'] as const).filter((id) => named === `main${id}`)
    if (ids.length === 0) throw refused('UNKNOWN_KEY_ID')
    const isCompared = !is('the header is not bound, nor the commitment compared')
    for (const id of ids) {
      const { key, commitment } = derive(roots[id], salt, algorithm)
      if (!isCompared || timingSafeEqual(commitment, header.subarray(50, 82))) return key
    }
    throw refused('AUTHENTICATION_FAILED')
  }

  function inside(plaintext: Buffer, flags: number): Buffer {
    const isChunked = (flags & chunked) !== 0
    const content = isChunked ? plaintext.subarray(0, -8) : plaintext.subarray(4)
    const length = isChunked ? Number(plaintext.subarray(-8).readBigUInt64BE()) : plaintext.readUInt32BE(0)
    const isUnchecked =
      is('the true length is not checked') || is('the last chunk is not marked, and the length not checked')
    if (isUnchecked) return content.subarray(0, Math.min(length, content.length))
    const padding = content.subarray(length)
    if (length > content.length) throw refused('CORRUPT')
    if (is('padding is not looked at') || is('neither header nor padding is looked at'))
      return content.subarray(0, length)
    if (padding.length > 0 !== ((flags & padded) !== 0)) throw refused('CORRUPT')
    if (padding.some((byte) => byte !== 0)) throw refused('CORRUPT')
    return content.subarray(0, length)
  }

  return {
    sealInside,
    seal: (value, place, form) => sealInside(plaintextOf(value, form), place, form),
    open,
  }
}

/** The plaintext of a value as it is due; with another length, or more behind it, as it is not. */
export function plaintextOf(
  value: Buffer,
  { paddedTo, chunkBytes }: Form,
  { length = value.length, padding }: { readonly length?: number; readonly padding?: Buffer } = {},
): Buffer {
  const room = paddedTo === 0 ? 0 : paddedTo - (value.length % paddedTo)
  const content = Buffer.concat([value, padding ?? Buffer.alloc(room)])
  return chunkBytes === 0
    ? Buffer.concat([number(length, 4), content])
    : Buffer.concat([content, number(length, 8)])
}

function derive(root: string, salt: Buffer, algorithm: Algorithm): { key: Buffer; commitment: Buffer } {
  const ikm = /^[0-9a-f]{64}$/.test(root) ? Buffer.from(root, 'hex') : Buffer.from(root, 'base64')
  const output = Buffer.from(hkdfSync('sha256', ikm, salt, `unikv/1/${algorithm}/envelope`, 64))
  return {
    key: output.subarray(0, algorithm === 'aes-128-gcm' ? 16 : 32),
    commitment: output.subarray(32),
  }
}

function number(value: number, bytes: 4 | 8): Buffer {
  const made = Buffer.alloc(bytes)
  made.writeUIntBE(value, bytes === 4 ? 0 : 2, bytes === 4 ? 4 : 6)
  return made
}

function cut(bytes: Buffer, size: number): readonly Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  )
}

function refused(code: 'CORRUPT' | 'AUTHENTICATION_FAILED' | 'UNKNOWN_KEY_ID'): StoreError {
  return new StoreError(code, 'refused')
}
