import { type Bytes, StoreError } from '@unikv/core'
import { checkFactoryOptions, type OptionNames } from '@unikv/core/adapter'
import { checkBytes, checkKey } from './checks.ts'
import { decryptChunk, encryptChunk, maxChunkedBytes, mostChunks } from './chunks.ts'
import { type CipherInput, tagBytes } from './cipher.ts'
import { mostHeaderBytes, readHeader } from './envelope.ts'
import { type AskSettings, callOf, type KmsOpenOptions, type KmsSealOptions } from './kms/kms-seal.ts'
import { notAuthentic } from './opener.ts'
import type { PaddedLength } from './padding.ts'
import { Pieces } from './pieces.ts'
import { longLength } from './plaintext.ts'
import type { OpenOptions, SealOptions } from './seal.ts'
import { StreamedValue } from './streamed-value.ts'
import { vaultOf } from './vault-of.ts'

/** What a stream is sealed with: always in chunks. */
export type StreamSealOptions = Omit<SealOptions, 'chunkAboveBytes'> | Omit<KmsSealOptions, 'chunkAboveBytes'>

/** Bytes that come one after the other, such as a file that is read. */
type Source = AsyncIterable<Bytes> | Iterable<Bytes>

const openNames: OptionNames<OpenOptions | KmsOpenOptions> = {
  keys: true,
  dataset: true,
  key: true,
  kind: true,
  codec: true,
  context: true,
  timeoutMs: true,
  signal: true,
}
const sealNames: OptionNames<StreamSealOptions> = {
  ...openNames,
  algorithm: true,
  padding: true,
  chunkBytes: true,
}

/** Zeros at a time. */
const zeroBytes = 65_536

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
  options: StreamSealOptions,
): AsyncGenerator<Bytes, void, undefined> {
  checkFactoryOptions('sealStream', options, sealNames)
  const { key, timeoutMs, signal, ...at }: Omit<KmsSealOptions, 'keys'> & Pick<StreamSealOptions, 'keys'> =
    options
  checkKey(key)
  const stream = await vaultOf(at).sealedStream(key, callOf({ timeoutMs, signal }))
  const { header, input, chunkBytes, padded } = stream
  yield header
  const pieces = new Pieces(plaintextOf(source, padded), chunkBytes)
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
 * nothing of it before, or use `open`. An envelope in one piece is collected first.
 *
 * @throws {StoreError} `AUTHENTICATION_FAILED` if it was changed, cut short or belongs elsewhere, `UNKNOWN_KEY_ID`,
 * `CORRUPT`
 */
export async function* openStream(
  source: Source,
  options: OpenOptions | KmsOpenOptions,
): AsyncGenerator<Bytes, void, undefined> {
  checkFactoryOptions('openStream', options, openNames)
  const { key, timeoutMs, signal, ...at }: KmsOpenOptions | (OpenOptions & AskSettings) = options
  checkKey(key)
  const vault = vaultOf(at)
  const incoming = new Pieces(checked(source), mostHeaderBytes)
  try {
    const { bytes: start } = await incoming.next()
    const header = readHeader(start)
    if (header.chunkBytes === undefined) {
      const envelope = Buffer.concat([start, await incoming.rest()])
      yield await vault.opened(
        () => [envelope],
        callOf({ timeoutMs, signal }),
        (open) => open(key, envelope),
      )
      return
    }
    const input = await vault.openedStream(key, header, callOf({ timeoutMs, signal }))
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
  source: Source,
  padded: PaddedLength | undefined,
): AsyncGenerator<Bytes, void, undefined> {
  let length = 0
  for await (const bytes of checked(source)) {
    length += bytes.length
    if (length > maxChunkedBytes / 2) throw tooLarge()
    yield bytes
  }
  for (let left = padded === undefined ? 0 : padded(length) - length; left > 0; left -= zeroBytes)
    yield Buffer.alloc(Math.min(left, zeroBytes))
  yield longLength(length)
}

async function* checked(source: Source): AsyncGenerator<Bytes, void, undefined> {
  for await (const bytes of source) {
    checkBytes(bytes)
    yield bytes
  }
}

function tooLarge(): StoreError {
  return new StoreError(
    'VALUE_TOO_LARGE',
    'The stream is longer than its chunks can count. Take larger chunks.',
  )
}
