import type { Awaitable } from '../contract/awaitable.ts'
import type { Direct } from './direct.ts'
import type { Call } from './key-value.ts'
import { deleteMany, getMany, setMany, write } from './many.ts'

/** The reads that are one request. */
export const reads = [
  'get',
  'getEntry',
  'getMany',
  'has',
  'head',
  'revalidate',
] as const satisfies readonly Call[]

/** The writes that are one request, or one batch. */
export const writes = [
  ...(['set', 'setMany', 'delete', 'deleteMany', 'write'] as const),
  ...(['touch', 'increment', 'incrementEntry'] as const),
] as const satisfies readonly Call[]

const batches = { getMany, setMany, deleteMany, write }

type Operation = (direct: Direct<unknown, unknown>, a: unknown, b: unknown, c: unknown) => Awaitable<unknown>

type Work = (direct: Direct<unknown, unknown>) => Awaitable<unknown>

/** Give a class the calls as methods that it does not have: `run` does the work of one. */
export function defineCalls<T extends object>(
  prototype: T,
  names: readonly Call[],
  run: (target: T, name: Call, work: Work) => unknown,
): void {
  for (const name of names) {
    if (Object.hasOwn(prototype, name)) continue
    const operation = operationOf(name)
    const { [name]: value } = {
      // No call takes more than three, and a list of them would be made for each call.
      [name](this: T, a: unknown, b: unknown, c: unknown) {
        return run(this, name, (direct) => operation(direct, a, b, c))
      },
    }
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true })
  }
}

function operationOf(name: Call): Operation {
  if (name in batches) return batches[name as keyof typeof batches] as Operation
  return (direct, a, b, c) => (direct[name as keyof typeof direct] as (...args: unknown[]) => never)(a, b, c)
}
