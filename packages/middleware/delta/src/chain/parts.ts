import type { Bytes } from '@unikv/core'
import { internalKey, keyBytes, ownerKey } from '@unikv/core/adapter'
import type { Chain } from './chain.ts'
import { corrupt } from './corrupt.ts'
import { FieldReader, varint } from './fields.ts'
import { idBytes, magic, recordKinds } from './formats.ts'

const isPartId = /^[0-9a-f]{24}$/

/** The key of a part of the chain of a user key. */
export function partKey(canonical: string, id: string): string {
  return internalKey('delta', canonical, id)
}

/** Bytes by which the key of a part is longer than the key that it belongs to. */
export const partKeyExtraBytes: number = keyBytes(partKey('', '0'.repeat(2 * idBytes)))

/** The user key and the id in the key of a part; `undefined`: it is none of this layer. */
export function partNameOf(part: string): { readonly owner: string; readonly id: string } | undefined {
  const owner = ownerKey(part)
  if (owner === undefined) return undefined
  const id = part.slice(2 + owner.length, 2 + owner.length + 2 * idBytes)
  return isPartId.test(id) && partKey(owner, id) === part ? { owner, id } : undefined
}

/** Whether a canonical key is that of a part. */
export function isPart(key: string): boolean {
  return partNameOf(key) !== undefined
}

/** The keys of all parts that a head names. */
export function partsOf(canonical: string, chain: Pick<Chain, 'base' | 'records'> | undefined): string[] {
  if (chain === undefined) return []
  return [chain.base, ...chain.records].map(({ id }) => partKey(canonical, id))
}

/** The record of a base. */
export function writeBase(value: Bytes): Bytes {
  return Buffer.concat([Uint8Array.of(magic, recordKinds.base), value])
}

/** The value of a base, as a view. */
export function readBase(record: Bytes): Bytes {
  checkKind(record, recordKinds.base)
  return record.subarray(2)
}

/** The record of deltas in a row; `first` is the number of the first one, from 1. */
export function writeDeltas(baseId: string, first: number, deltas: readonly Bytes[]): Bytes {
  return Buffer.concat([
    Uint8Array.of(magic, recordKinds.deltas),
    Buffer.from(baseId, 'hex'),
    varint(first),
    varint(deltas.length),
    ...deltas.flatMap((delta) => [varint(delta.length), delta]),
  ])
}

/** The deltas of a record, as views. */
export function readDeltas(
  record: Bytes,
  expected: { readonly baseId: string; readonly first: number },
): Bytes[] {
  checkKind(record, recordKinds.deltas)
  const reader = new FieldReader(record, 2)
  if (Buffer.from(reader.take(idBytes)).toString('hex') !== expected.baseId)
    throw corrupt('belongs to another base')
  if (reader.varint() !== expected.first) throw corrupt('is at the wrong place in its chain')
  const deltas = readList(reader)
  reader.end()
  return deltas
}

/** Byte strings, each with its length in front, and how many they are before all. */
export function readList(reader: FieldReader): Bytes[] {
  const list: Bytes[] = []
  for (let left = reader.count(1); left > 0; left--) list.push(reader.take(reader.varint()))
  return list
}

function checkKind(record: Bytes, kind: number): void {
  if (record[0] !== magic || record[1] !== kind) throw corrupt('is not what its head names')
}
