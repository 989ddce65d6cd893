import { type Bytes, StoreError } from '@unikv/core'
import { isBytes } from '@unikv/core/platform'
import { subSeed } from '../random/random.ts'
import type { DataSource } from './data-source.ts'
import { importModule } from './import-module.ts'
import { printable } from './printable.ts'

/** Which object a user's function is asked for. */
export interface ObjectRequest {
  /** Bytes that the object must have. */
  readonly size: number
  /** From 0 upwards within one size. */
  readonly index: number
  /** A seed of this object's own. */
  readonly seed: number
}

/** A user's function that makes objects: bytes, or text that is stored as UTF-8. */
export type ObjectFunction = (request: ObjectRequest) => Bytes | string | Promise<Bytes | string>

/** Objects from a function. */
export function functionSource(make: ObjectFunction, seed: number, description = 'a function'): DataSource {
  return {
    kind: 'module',
    description,
    objects: async (size, count) => {
      const made: Bytes[] = []
      for (let index = 0; index < count; index++) {
        made.push(checked(await make({ size, index, seed: subSeed(seed, size, index) }), size, description))
      }
      return made
    },
  }
}

/**
 * Objects from the function that a module exports as its default.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if the module cannot be loaded or exports no function
 */
export async function moduleSource(path: string, seed: number): Promise<DataSource> {
  const make = await importModule(path, 'data module')
  if (typeof make !== 'function') {
    throw new StoreError(
      'INVALID_ARGUMENT',
      `The data module ${printable(path)} must export a function as its default.`,
    )
  }
  return functionSource(make as ObjectFunction, seed, `the function of ${printable(path)}`)
}

function checked(made: unknown, size: number, description: string): Bytes {
  const bytes = typeof made === 'string' ? Buffer.from(made, 'utf8') : made
  if (!isBytes(bytes)) throw new StoreError('INVALID_VALUE', `${description} must return bytes or text.`)
  if (bytes.length === size) return bytes
  throw new StoreError(
    'INVALID_VALUE',
    `${description} returned ${bytes.length} bytes where ${size} were asked for.`,
  )
}
