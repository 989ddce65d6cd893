import type { Bytes, CallOptions } from '@unikv/core'
import { checkFactoryOptions, StoreError } from '@unikv/core/adapter'
import { checkKey } from '../checks.ts'
import { contextTable } from '../envelope/associated-data.ts'
import { decryptChunk, encryptChunk, maxChunkedBytes, mostChunks } from '../envelope/chunks.ts'
import { type CipherInput, tagBytes } from '../envelope/cipher.ts'
import { mostHeaderBytes, readHeader } from '../envelope/envelope.ts'
import { notAuthentic } from '../envelope/opener.ts'
import type { PaddedLength } from '../envelope/padding.ts'
import { Pieces } from '../envelope/pieces.ts'
import { longLength } from '../envelope/plaintext.ts'
import { GivenSource, type Source } from '../keys/given-source.ts'
import type { OpenOptions, SealOptions } from '../seal.ts'
import { callOf, type KmsOpenOptions, type KmsSealOptions } from '../vaults/kms-seal.ts'
import type { CountedStream, Vault } from '../vaults/vault.ts'
import { vaultOf } from '../vaults/vault-of.ts'
import { StreamedValue } from './streamed-value.ts'

/** The settings for sealing a stream, always in chunks. */
export type StreamSealOptions = Omit<SealOptions, 'chunkAboveBytes'> | Omit<KmsSealOptions, 'chunkAboveBytes'>

/** The settings for opening a stream. */
export type StreamOpenOptions = (OpenOptions | KmsOpenOptions) & {
  /** Longest envelope in one piece: it is held in memory. Chunks may be any number. @default 67,108,864 */
  readonly maxBytes?: number | undefined
}

const contextNames: Record<keyof KmsOpenOptions, unknown> = {
  ...contextTable,
  keys: true,
  timeoutMs: true,
  signal: true,
}
const openNames = { ...contextNames, maxBytes: true }
const sealNames = {
  ...contextNames,
  algorithm: true,
  padding: true,
  chunkBytes: true,
}

/** Zeros at a time. */
const zeroBytes = 65_536

/** Far above what is sealed in one piece by default. */
const defaultMaxBytes = 67_108_864

/**
 * Encrypt a stream, chunk by chunk: what comes out, put together, is an envelope that `openStream` and `open` take.
 * One chunk is held in memory. If the source fails, so does the stream, and what was written so far opens nowhere.
 *
 * ```ts
 * await pipeline(createReadStream('dump'), (source) => sealStream(source, { keys, dataset, key }), createWriteStream('dump.sealed'))
 * ```
 *
 * @throws {StoreError} `INVALID_VALUE`, `INVALID_KEY`, `INVALID_CONFIG`, `VALUE_TOO_LARGE`
 */
export async function* sealStream(
  source: Source,
  options: StreamSealOptions = {} as StreamSealOptions,
): AsyncGenerator<Bytes, void, undefined> {
  const given = new GivenSource(source)
  try {
    checkFactoryOptions('sealStream', options, sealNames)
    const { key, timeoutMs, signal, ...at }: Omit<KmsSealOptions, 'keys'> & Pick<StreamSealOptions, 'keys'> =
      options
    checkKey(key)
    const stream = await vaultOf(at).sealedStream(key, callOf({ timeoutMs, signal }))
    yield stream.header
    yield* sealedChunks(given, stream)
  } finally {
    given.close()
  }
}

async function* sealedChunks(
  source: GivenSource,
  stream: CountedStream,
): AsyncGenerator<Bytes, void, undefined> {
  const { input, chunkBytes, padded } = stream
  const pieces = new Pieces(plaintextOf(source.bytes(), padded), chunkBytes)
  try {
    for (let number = 0, isEnd = false; !isEnd; number++) {
      const { bytes, isLast } = await pieces.next()
      if (number === mostChunks) throw tooLarge()
      stream.spend(bytes.length)
      yield encryptChunk(input, number, isLast, [bytes])
      isEnd = isLast
    }
  } finally {
    await pieces.close()
  }
}

/**
 * Decrypt an envelope that comes as a stream. Each chunk is verified before it is handed out, but that the stream is
 * whole is known at its end: what came out is the value only if the loop over it ends without an error. Use
 * nothing of it before, or use `open`. An envelope in one piece is collected first, up to `maxBytes`.
 *
 * @throws {StoreError} `AUTHENTICATION_FAILED` if it was changed, cut short or belongs elsewhere, `UNKNOWN_KEY_ID`,
 * `CORRUPT`, `VALUE_TOO_LARGE` for one piece of more than `maxBytes`
 */
export async function* openStream(
  source: Source,
  options: StreamOpenOptions = {} as StreamOpenOptions,
): AsyncGenerator<Bytes, void, undefined> {
  const given = new GivenSource(source)
  try {
    checkFactoryOptions('openStream', options, openNames)
    const {
      key,
      timeoutMs,
      signal,
      maxBytes = defaultMaxBytes,
      ...at
    } = options as KmsOpenOptions & StreamOpenOptions
    checkKey(key)
    checkMaxBytes(maxBytes)
    const vault = vaultOf(at)
    yield* opened(given, { vault, key, maxBytes, call: callOf({ timeoutMs, signal }) })
  } finally {
    given.close()
  }
}

interface Opening {
  readonly vault: Vault
  readonly key: string
  readonly maxBytes: number
  readonly call: CallOptions
}

async function* opened(
  source: GivenSource,
  { vault, key, maxBytes, call }: Opening,
): AsyncGenerator<Bytes, void, undefined> {
  const incoming = new Pieces(source.bytes(), mostHeaderBytes)
  try {
    const { bytes: start } = await incoming.next()
    const header = readHeader(start)
    if (header.chunkBytes === undefined) {
      const rest = await incoming.rest(maxBytes - start.length)
      if (rest === undefined) throw tooLong(maxBytes)
      const envelope = Buffer.concat([start, rest])
      yield await vault.opened(
        () => [envelope],
        call,
        (open) => open(key, envelope),
      )
      return
    }
    const input = await vault.openedStream(key, header, call)
    const body = incoming.from(start.subarray(header.bytes.length), header.chunkBytes + tagBytes)
    yield* openedChunks(body, input, new StreamedValue(header.flags))
  } finally {
    await incoming.close()
  }
}

/** Nothing of a chunk before its tag agreed, and no end before that of the last one did. */
async function* openedChunks(
  body: Pieces,
  input: CipherInput,
  value: StreamedValue,
): AsyncGenerator<Bytes, void, undefined> {
  for (let number = 0, isEnd = false; !isEnd; number++) {
    const { bytes, isLast } = await body.next()
    const chunk = number < mostChunks ? decryptChunk(input, number, isLast, bytes) : undefined
    if (chunk === undefined) throw notAuthentic()
    yield* value.add(chunk)
    isEnd = isLast
  }
  yield* value.end()
}

/** The plaintext of a stream: its bytes, zeros, and at the end its length. */
async function* plaintextOf(
  source: AsyncIterable<Bytes>,
  padded: PaddedLength | undefined,
): AsyncGenerator<Bytes, void, undefined> {
  let length = 0
  for await (const bytes of source) {
    length += bytes.length
    if (length > maxChunkedBytes / 2) throw tooLarge()
    yield bytes
  }
  for (let left = padded === undefined ? 0 : padded(length) - length; left > 0; left -= zeroBytes)
    yield Buffer.alloc(Math.min(left, zeroBytes))
  yield longLength(length)
}

/** @throws {StoreError} `INVALID_CONFIG` */
function checkMaxBytes(maxBytes: number): void {
  if (typeof maxBytes === 'number' && maxBytes >= 1) return
  throw new StoreError('INVALID_CONFIG', 'maxBytes of openStream must be a number of bytes, at least 1.')
}

function tooLong(maxBytes: number): StoreError {
  return new StoreError(
    'VALUE_TOO_LARGE',
    `The envelope is one piece of more than ${maxBytes} bytes, or was changed. If it is yours, raise maxBytes.`,
  )
}

function tooLarge(): StoreError {
  return new StoreError(
    'VALUE_TOO_LARGE',
    'The stream is longer than its chunks can count. Take larger chunks.',
  )
}
