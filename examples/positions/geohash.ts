// Geohash: a place as text, of which each letter divides the cell before it by 32, so that near places often begin alike.
import { type KeyCodec, StoreError } from '@unikv/core'
import { boundsAround, type Place } from './sphere.ts'

const letters = '0123456789bcdefghjkmnpqrstuvwxyz'
/** Cells of keys: some 5 by 5 km. */
const keyLetters = 5
/** A circle is covered by at most so many cells. */
const mostCells = 16

/** A thing and its cell. */
export interface CellKey {
  readonly cell: string
  readonly id: string
}

/** Keys that begin with the cell: what lies in a cell, or in a larger one around it, is a range of keys. */
export function cellKey(): KeyCodec<CellKey> {
  const form = new RegExp(`^([${letters}]{${keyLetters}})(.+)$`, 's')
  return {
    name: 'geohash',
    encode({ cell, id }) {
      if (!form.test(`${cell}${id}`) || cell.length !== keyLetters)
        throw new StoreError('INVALID_KEY', `A key is a cell of ${keyLetters} letters and an id.`)
      return `${cell}${id}`
    },
    decode(encoded) {
      const [, cell, id] = form.exec(encoded) ?? []
      if (cell === undefined || id === undefined)
        throw new StoreError('CORRUPT', 'A key in the store does not begin with a cell.')
      return { cell, id }
    },
  }
}

/** The cell of a place in which its key lies. */
export function cellOf(place: Place): string {
  return geohash(place, keyLetters)
}

/** The geohash of a place: bits of longitude and latitude in turns, five to a letter. */
export function geohash({ lat, lon }: Place, length: number): string {
  const [rows, columns] = gridOf(length)
  return hashAt(numberOf(lat + 90, 180, rows), numberOf(lon + 180, 360, columns), length)
}

/** Cells of one size, few and small, that cover all within a distance: prefixes of keys. */
export function cellsAround(place: Place, km: number): readonly string[] {
  const [south, north, west, east] = boundsAround(place, km)
  for (let length = keyLetters; ; length--) {
    const [rows, columns] = gridOf(length)
    const [first, last] = [numberOf(south + 90, 180, rows), numberOf(north + 90, 180, rows)]
    const left = Math.floor(((west + 180) / 360) * columns)
    const width = Math.min(columns, Math.floor(((east + 180) / 360) * columns) - left + 1)
    if ((last - first + 1) * width > mostCells && length > 1) continue
    return Array.from({ length: (last - first + 1) * width }, (_, i) => {
      // East of 180 degrees is the west again.
      const column = (left + (i % width) + columns) % columns
      return hashAt(first + Math.floor(i / width), column, length)
    })
  }
}

/** Rows and columns of all cells of a length. */
function gridOf(length: number): readonly [rows: number, columns: number] {
  return [2 ** Math.floor(length * 2.5), 2 ** Math.ceil(length * 2.5)]
}

function numberOf(offset: number, whole: number, parts: number): number {
  return Math.min(parts - 1, Math.max(0, Math.floor((offset / whole) * parts)))
}

function hashAt(row: number, column: number, length: number): string {
  let [text, bits] = ['', 0]
  const [rowBits, columnBits] = [Math.floor(length * 2.5), Math.ceil(length * 2.5)]
  for (let bit = 0; bit < length * 5; bit++) {
    const at = Math.floor(bit / 2)
    const next = bit % 2 === 0 ? column >> (columnBits - 1 - at) : row >> (rowBits - 1 - at)
    bits = (bits << 1) | (next & 1)
    if (bit % 5 === 4) [text, bits] = [text + letters[bits], 0]
  }
  return text
}
