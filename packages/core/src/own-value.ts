import type { Bytes } from './bytes.ts'
import type { Mutation } from './store.ts'

/**
 * A mutation that may wait before it is sent: its value is a copy, so that what goes out does not change with what the
 * caller holds. (`slice` of a Buffer would be a view.)
 */
export function withOwnValue<M extends Mutation<Bytes>>(mutation: M): M {
  return mutation.type === 'set' ? { ...mutation, value: Buffer.from(mutation.value) } : mutation
}
