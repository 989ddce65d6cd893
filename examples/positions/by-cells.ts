// Nearest places on any store whose keys have an order: keys begin with the geohash of their cell.
import type { Awaitable } from '@unikv/core'
import { type CellKey, cellOf, cellsAround } from './geohash.ts'
import { type Near, nearestOf, type Place, type Position } from './sphere.ts'
import { Gatherer, type Limits, type Tracker } from './tracker.ts'

/** The part of a store that is used here. */
export interface CellStore {
  setMany(entries: Iterable<readonly [CellKey, Position]>): Promise<unknown>
  deleteMany(keys: Iterable<CellKey>): Promise<unknown>
  entries(options?: {
    readonly prefix?: string
  }): AsyncIterable<readonly [CellKey, { readonly value: Position }]>
  close(): Awaitable<unknown>
}

/** The first circle, in kilometres; where it holds too little it is doubled. */
const firstKm = 25
/** So many times as many as were asked for are too many to be read. */
const crowd = 8

/** Positions by the cells in which they lie. One process moves a thing; any other may ask. */
export class PositionsByCells implements Tracker {
  readonly #store: CellStore
  readonly #cells = new Map<string, string>()
  readonly #gatherer: Gatherer
  /** The circle of the last answer: where little is near, the next one begins as wide. */
  #km = firstKm

  private constructor(store: CellStore) {
    this.#store = store
    this.#gatherer = new Gatherer((positions) => this.#write(positions))
  }

  /** Find out where everything was when the last process ended. If it left a thing in two cells, the earlier is removed. */
  static async open(store: CellStore): Promise<PositionsByCells> {
    const opened = new PositionsByCells(store)
    const latest = new Map<string, Position>()
    for await (const [{ id, cell }, { value }] of store.entries()) {
      const other = latest.get(id)
      const earlier = other === undefined ? undefined : other.at < value.at ? cellOf(other) : cell
      if (earlier !== undefined) await store.deleteMany([{ id, cell: earlier }])
      if (earlier === cell) continue
      latest.set(id, value)
      opened.#cells.set(id, cell)
    }
    return opened
  }

  move(position: Position): Promise<void> {
    return this.#gatherer.move(position)
  }

  async nearest(place: Place, { most, withinKm }: Limits): Promise<readonly Near[]> {
    for (let km = Math.min(this.#km, withinKm); ; km = Math.min(2 * km, withinKm)) {
      const cells = await Promise.all(cellsAround(place, km).map((cell) => this.#inCell(cell)))
      const found = nearestOf(cells.flat(), place, { most, withinKm: km })
      if (found.length < most && km < withinKm) continue
      const { length } = cells.flat()
      this.#km = length > crowd * most ? Math.max(firstKm, km / 2) : km
      return found
    }
  }

  async close(): Promise<void> {
    await this.#store.close()
  }

  async #inCell(prefix: string): Promise<readonly Position[]> {
    const found: Position[] = []
    for await (const [, { value }] of this.#store.entries({ prefix })) found.push(value)
    return found
  }

  /** First where it is, then no longer where it was: a reader may see both, and never none. */
  async #write(positions: readonly Position[]): Promise<void> {
    await this.#store.setMany(
      positions.map((position) => [{ cell: cellOf(position), id: position.id }, position]),
    )
    const left: CellKey[] = []
    for (const position of positions) {
      const [cell, before] = [cellOf(position), this.#cells.get(position.id)]
      if (before !== undefined && before !== cell) left.push({ cell: before, id: position.id })
      this.#cells.set(position.id, cell)
    }
    if (left.length > 0) await this.#store.deleteMany(left)
  }
}
