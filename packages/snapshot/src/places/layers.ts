import { StoreError } from '@unikv/core'
import { type AnyStack, layersOf } from '@unikv/core/adapter'

/** Layers over bytes that leave stored values as they are. */
const passing: ReadonlySet<string> = new Set(['cache', 'writeBehind'])

/**
 * Check that a target would read what a source has stored: its layers give values the same form, in the same order. A stack
 * without such layers says nothing about its values.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function checkLayers(from: AnyStack, to: AnyStack): void {
  const [source, target] = [formOf(from), formOf(to)]
  if (source === '' || target === '' || source === target) return
  throw new StoreError(
    'INVALID_ARGUMENT',
    `The source stores values by ${source}, and the target by ${target}, so the target could not read them. Records are copied as they are: give both the same layers.`,
    { store: to.name, operation: 'copy' },
  )
}

/** Names of the layers that give stored values their form, the outermost first. */
function formOf(stack: AnyStack): string {
  return layersOf(stack)
    .map(({ layer }) => layer)
    .filter(({ name, plan }) => plan.inner !== 'any' && !passing.has(name))
    .map(({ name }) => name)
    .join(', ')
}
