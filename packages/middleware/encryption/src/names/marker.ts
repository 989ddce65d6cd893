import type { Bytes } from '@unikv/core'
import { internalKey, StoreError } from '@unikv/core/adapter'

/*
 * Tells under which name key the names of a dataset are, byte by byte in docs/reference/key-names.md. Not
 * encrypted: it holds no secret, and must be readable after every key was rotated.
 *
 *   0   13   'unikv/names/1'
 *   13  1    state: 0 settled, 1 a rekey copies, 2 a rekey closes
 *   14  32   check of the name key that reads and writes
 *   46  32   check of the name key that comes after it; not if settled
 */

/** The marker's own key, as the store has it. No hashed name is so short. */
export const markerKey: string = internalKey('marker', '', 'names')

const magic = Buffer.from('unikv/names/1')
const states = ['settled', 'copying', 'closing'] as const
const checkBytes = 32

/** Content of a marker. */
export type Marker =
  | { readonly state: 'settled'; readonly check: Buffer }
  | { readonly state: 'copying' | 'closing'; readonly check: Buffer; readonly next: Buffer }

/** The bytes of a marker. */
export function writeMarker(marker: Marker): Buffer {
  const state = Buffer.of(states.indexOf(marker.state))
  return Buffer.concat([magic, state, marker.check, ...(marker.state === 'settled' ? [] : [marker.next])])
}

/**
 * Read a marker.
 *
 * @throws {StoreError} `CORRUPT`
 */
export function readMarker(bytes: Bytes): Marker {
  const marker = Buffer.from(bytes)
  const at = magic.length + 1
  const state = states[marker[at - 1] ?? states.length]
  const length = at + (state === 'settled' ? checkBytes : 2 * checkBytes)
  if (state === undefined || marker.length !== length || !marker.subarray(0, magic.length).equals(magic))
    throw new StoreError(
      'CORRUPT',
      'The marker of the hashed key names is damaged, or was written by a newer version.',
    )
  const check = marker.subarray(at, at + checkBytes)
  return state === 'settled' ? { state, check } : { state, check, next: marker.subarray(at + checkBytes) }
}
