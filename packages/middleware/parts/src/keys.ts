import { internalKey, keyBytes, ownerKey } from '@unikv/core/adapter'

const isPartName = /^[0-9a-f]{32}$/
const manifestName = 'manifest'
const manifestEnd = internalKey('chunk', '', manifestName).slice(2)

/** The key of a part of the value of a user key: `id` tells apart the writings of it, `number` counts from 0. */
export function partKey(owner: string, id: string, number: number): string {
  return internalKey('chunk', owner, id + number.toString(16).padStart(8, '0'))
}

/** Bytes by which the key of a part is longer than the key that it belongs to. */
export const partKeyExtraBytes: number = keyBytes(partKey('', '0'.repeat(24), 0))

/** The value, writing and number that the key of a part names; `undefined`: it is of another record. */
export function partNameOf(
  key: string,
): { readonly owner: string; readonly id: string; readonly number: number } | undefined {
  const owner = ownerKey(key)
  if (owner === undefined) return undefined
  const name = key.slice(2 + owner.length, 34 + owner.length)
  if (!isPartName.test(name)) return undefined
  const [id, number] = [name.slice(0, 24), Number.parseInt(name.slice(24), 16)]
  return partKey(owner, id, number) === key ? { owner, id, number } : undefined
}

/** The key by which a stream reads and writes the record of a user key as it is stored. No store ever has it. */
export function manifestKey(owner: string): string {
  return internalKey('chunk', owner, manifestName)
}

/** The user key of such a key; `undefined`: it is another one. */
export function ownerOfManifest(key: string): string | undefined {
  const owner = key.endsWith(manifestEnd) ? ownerKey(key) : undefined
  return owner !== undefined && manifestKey(owner) === key ? owner : undefined
}
