import { type Awaitable, type Bytes, StoreError } from '@unikv/core'
import { type PhaseSample, phase } from './phase.ts'

/** Something that turns bytes into other bytes and back: an encryption or a compression. */
export interface ByteCodec {
  encode(bytes: Bytes): Awaitable<Bytes>
  decode(bytes: Bytes): Awaitable<Bytes>
}

/** The input of one codec cell. */
export interface CodecCellInput {
  readonly codec: ByteCodec
  readonly objects: readonly Bytes[]
  readonly maxMs: number
  readonly signal: AbortSignal
}

/** The measurements of one codec cell. */
export interface CodecSample {
  readonly encode: PhaseSample
  readonly decode: PhaseSample
  /** Of all objects together. */
  readonly originalBytes: number
  readonly encodedBytes: number
}

/** One pause of the machine must not outweigh the rest of a cell. */
export const leastCodecMs = 200
const LEAST_OPERATIONS = 50

/** Encode and decode every object, without any store. */
export async function measureCodec({ codec, objects, maxMs, signal }: CodecCellInput): Promise<CodecSample> {
  const encoded: Bytes[] = []
  for (const object of objects) encoded.push(await codec.encode(object))
  await verify(codec, objects, encoded)
  const limits = {
    operations: objects.length,
    maxMs,
    atLeastMs: leastCodecMs,
    atLeastOperations: LEAST_OPERATIONS,
    signal,
  }
  const encode = await phase(async (index) => codec.encode(objects[index] as Bytes), limits)
  const decode = await phase(async (index) => codec.decode(encoded[index] as Bytes), limits)
  return { encode, decode, originalBytes: total(objects), encodedBytes: total(encoded) }
}

async function verify(codec: ByteCodec, objects: readonly Bytes[], encoded: readonly Bytes[]): Promise<void> {
  for (const [index, object] of objects.entries()) {
    if (Buffer.compare(await codec.decode(encoded[index] as Bytes), object) === 0) continue
    throw new StoreError('CORRUPT', 'The codec does not return the bytes that it encoded.')
  }
}

function total(all: readonly Bytes[]): number {
  return all.reduce((sum, bytes) => sum + bytes.length, 0)
}
