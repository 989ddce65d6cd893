import { crc32 } from 'node:zlib'
import type { Bytes } from '@unikv/core'
import { type BaseRef, type Chain, deltasOf, type RecordRef } from './chain.ts'
import { corrupt } from './corrupt.ts'
import { FieldReader, varint } from './fields.ts'
import {
  hashBytes,
  idBytes,
  magic,
  mostDeltas,
  mostReplayBytes,
  recordKinds,
  timeBytes,
  wholeHeaderBytes,
} from './formats.ts'
import { readList } from './parts.ts'
import { sealOf } from './seal.ts'

/** The record at a user's key: the value itself, or how it is made. */
export type Head = WholeHead | ChainHead

/** A value as it is. */
export interface WholeHead {
  readonly kind: 'whole'
  /** A view of the record. */
  readonly value: Bytes
  /** The record is the value as it is: this layer did not write it. */
  readonly isPlain?: boolean | undefined
}

/** A base and deltas. Nothing of it is believed before the seal was compared. */
export interface ChainHead extends Omit<Chain, 'link'> {
  readonly kind: 'chain'
  readonly valueBytes: number
  readonly seal: Bytes
  /** The bytes that the seal covers besides deltas and value. */
  readonly told: Bytes
}

/** Whether bytes begin as a head does. */
export function isHead(record: Bytes): boolean {
  return record[0] === magic && (record[1] === recordKinds.whole || record[1] === recordKinds.chain)
}

/** A head that holds the value. */
export function writeWhole(canonical: string, value: Bytes): Bytes {
  const head = Buffer.allocUnsafe(wholeHeaderBytes + value.length)
  head[0] = magic
  head[1] = recordKinds.whole
  head.writeUInt32BE(checksumOf(canonical, value), 2)
  head.set(value, wholeHeaderBytes)
  return head
}

/** Checksum of the key and a value. Node always answers 0 for no bytes whose buffer has no address. */
function checksumOf(canonical: string, value: Bytes): number {
  const ofKey = crc32(canonical)
  return value.length === 0 ? ofKey : crc32(value, ofKey)
}

/** A head that names the parts of a chain and holds its newest deltas. */
export function writeChain(chain: Chain, valueBytes: number, valueHash: Bytes): Bytes {
  const expiresAt = Buffer.alloc(timeBytes)
  expiresAt.writeUIntBE(chain.partsExpireAt ?? 0, 0, timeBytes)
  const told = Buffer.concat([
    Buffer.from(chain.base.id, 'hex'),
    expiresAt,
    varint(chain.base.bytes),
    varint(valueBytes),
    varint(chain.replayBytes),
    varint(chain.records.length),
    ...chain.records.flatMap(({ id, deltas, bytes }) => [
      Buffer.from(id, 'hex'),
      varint(deltas),
      varint(bytes),
    ]),
    varint(chain.inline.length),
  ])
  return Buffer.concat([
    Uint8Array.of(magic, recordKinds.chain),
    sealOf(chain.link, told, valueHash),
    told,
    ...chain.inline.flatMap((delta) => [varint(delta.length), delta]),
  ])
}

/**
 * Take a head apart.
 *
 * @throws {StoreError} `CORRUPT`
 */
export function readHead(canonical: string, record: Bytes): Head {
  if (!isHead(record)) throw corrupt('is none')
  return record[1] === recordKinds.whole ? readWhole(canonical, record) : readChainHead(record)
}

function readWhole(canonical: string, record: Bytes): WholeHead {
  const checksum = new FieldReader(record, 2).take(4)
  const value = record.subarray(wholeHeaderBytes)
  if (Buffer.from(checksum).readUInt32BE() !== checksumOf(canonical, value))
    throw corrupt('holds a value with another checksum')
  return { kind: 'whole', value }
}

function readChainHead(record: Bytes): ChainHead {
  const reader = new FieldReader(record, 2)
  const seal = reader.take(hashBytes)
  const toldAt = reader.at
  const id = hex(reader.take(idBytes))
  const expiresAt = Buffer.from(reader.take(timeBytes)).readUIntBE(0, timeBytes)
  const base: BaseRef = { id, bytes: reader.varint() }
  const valueBytes = reader.varint()
  const replayBytes = reader.varint()
  const records: RecordRef[] = []
  for (let left = reader.count(idBytes + 2); left > 0; left--)
    records.push({ id: hex(reader.take(idBytes)), deltas: reader.varint(), bytes: reader.varint() })
  const beforeInline = new FieldReader(record, reader.at)
  beforeInline.varint()
  const told = record.subarray(toldAt, beforeInline.at)
  const inline = readList(reader)
  reader.end()
  checkLimits(deltasOf({ records, inline }), replayBytes, records)
  const partsExpireAt = expiresAt === 0 ? undefined : expiresAt
  return { kind: 'chain', seal, told, base, valueBytes, replayBytes, partsExpireAt, records, inline }
}

function checkLimits(deltas: number, replayBytes: number, records: readonly RecordRef[]): void {
  const isTooMuch = deltas > mostDeltas || replayBytes > mostReplayBytes
  if (isTooMuch || records.some((one) => one.deltas === 0))
    throw corrupt('describes a chain that no writer produces')
}

function hex(bytes: Bytes): string {
  return Buffer.from(bytes).toString('hex')
}
