import { type AnyStack, layersOf, StoreError } from '@unikv/core/adapter'

/** Layers over bytes that leave stored values as they are. */
const passing: ReadonlySet<string> = new Set(['cache', 'writeBehind'])

/** Names of the layers of a stack that give stored values their form, the outermost first. */
export function formOf(stack: AnyStack): readonly string[] {
  return layersOf(stack)
    .map(({ layer }) => layer)
    .filter(({ name, plan }) => plan.inner !== 'any' && !passing.has(name))
    .map(({ name }) => name)
}

/**
 * Check that a target would read the stored values of a source: its layers give values the same form, in the same order. A stack
 * without such layers says nothing about its values.
 *
 * @param source as `formOf` gives it
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function checkForm(source: readonly string[], to: AnyStack): void {
  const target = formOf(to)
  if (source.length === 0 || target.length === 0 || source.join() === target.join()) return
  throw new StoreError(
    'INVALID_ARGUMENT',
    `The source stores values by ${shown(source)}, and the target by ${shown(target)}, so the target could not read them. Records are copied as they are: give both the same layers.`,
    { store: to.name, operation: 'copy' },
  )
}

function shown(form: readonly string[]): string {
  return form.join(', ')
}
