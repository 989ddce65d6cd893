import { setTimeout as pause } from 'node:timers/promises'
import { type LoadFigures, SteadyLoad } from '../driving/steady-load.ts'
import type { Flights } from '../positions/made-up.ts'
import { type Near, nearestOf } from '../positions/sphere.ts'
import type { Limits, Tracker } from '../positions/tracker.ts'

export interface PositionsSize {
  readonly movesPerSecond: number
  /** One span of each rate. */
  readonly asksPerSecond: readonly number[]
  readonly spanMs: number
}

export interface PositionsResult {
  readonly moves: readonly LoadFigures[]
  readonly asks: readonly LoadFigures[]
  /** Answers under load that were not sorted, too long, too far or named something twice. */
  readonly wrong: number
  /** Answers afterwards that differ from those of a search through everything. */
  readonly different: number
}

const limits: Limits = { most: 100, withinKm: 100 }
const compared = 50

/** Flights move at a steady rate, and others ask what is near an airport. */
export async function flightsMove(
  tracker: Tracker,
  flights: Flights,
  size: PositionsSize,
): Promise<PositionsResult> {
  await Promise.all(flights.all.map((flight) => tracker.move(flight)))
  let wrong = 0
  const ask = async (): Promise<void> => {
    if (!isInOrder(await tracker.nearest(flights.anyAirport(), limits))) wrong++
  }
  const moving = new SteadyLoad({
    perSecond: size.movesPerSecond,
    mostAtOnce: 2 * size.movesPerSecond,
    start: () => tracker.move(flights.next(Date.now())),
  })
  const [moves, asks]: [LoadFigures[], LoadFigures[]] = [[], []]
  for (const perSecond of size.asksPerSecond) {
    const asking = new SteadyLoad({ perSecond, mostAtOnce: 200, start: ask })
    moving.take()
    await pause(size.spanMs)
    asks.push(asking.take())
    moves.push(moving.take())
    await asking.close()
  }
  await moving.close()
  return { moves, asks, wrong, different: await differences(tracker, flights) }
}

function isInOrder(found: readonly Near[]): boolean {
  const ids = new Set(found.map(({ id }) => id))
  const isSorted = found.every(({ km }, i) => km <= limits.withinKm && km >= (found[i - 1]?.km ?? 0))
  return isSorted && ids.size === found.length && found.length <= limits.most
}

async function differences(tracker: Tracker, flights: Flights): Promise<number> {
  let count = 0
  for (let i = 0; i < compared; i++) {
    const airport = flights.anyAirport()
    const [found, right] = [await tracker.nearest(airport, limits), nearestOf(flights.all, airport, limits)]
    const isSame = found.length === right.length && found.every(({ id }, j) => id === right[j]?.id)
    if (!isSame) count++
  }
  return count
}
