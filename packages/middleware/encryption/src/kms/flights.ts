import type { CallOptions } from '@unikv/core'
import { awaited } from './asking.ts'

/** A question to the services, and who waits for its answer: the last of them overwrites the root that came. */
export interface Flight<T> {
  readonly answer: Promise<T>
  waiting: number
  root: Buffer | undefined
  /** Whether what comes must not be kept. */
  isForgotten: boolean
}

/** Memory of its own, to be overwritten by whoever has it. */
export function copyOf(root: Buffer): Buffer {
  const copy = Buffer.alloc(root.length)
  copy.set(root)
  return copy
}

/** Among those that others can wait for, until it is over; `cameOf` sees the answer before its root may be overwritten. */
export function begun<T>(
  flights: Map<string, Flight<T>>,
  name: string,
  answer: Promise<T>,
  cameOf: (answer: T, flight: Flight<T>) => Buffer,
): Flight<T> {
  const flight: Flight<T> = { answer, waiting: 0, root: undefined, isForgotten: false }
  flights.set(name, flight)
  const over = (root?: Buffer): void => {
    if (flights.get(name) === flight) flights.delete(name)
    flight.root = root
    if (flight.waiting === 0) root?.fill(0)
  }
  answer.then(
    (made) => over(cameOf(made, flight)),
    () => over(),
  )
  return flight
}

/** What is taken of an answer by one of those who wait for it, within his own call. */
export async function whatCame<T, U>(
  flight: Flight<T>,
  call: CallOptions,
  take: (answer: T) => U,
): Promise<U> {
  flight.waiting++
  try {
    return take(await awaited(flight.answer, call))
  } finally {
    flight.waiting--
    if (flight.waiting === 0) flight.root?.fill(0)
  }
}
