import { isPlainObject } from '@unikv/core/platform'
import { storeOptions } from '../layers/layers.ts'
import { instead, wrong } from '../wrong.ts'
import type { Checked } from './check-configuration.ts'
import type { StoreConfiguration } from './configuration.ts'

/** A store that another one names, and where. */
interface Reference {
  readonly name: string
  readonly path: string
}

/**
 * The names of stores in the order in which they are opened: each after those that it names. First the one that keeps the
 * figures of the monitor.
 *
 * @param wanted stores that are opened, besides it and those that they name
 *
 * @throws {StoreError} `INVALID_CONFIG` for a name that is not there, and for stores that name each other in a circle
 */
export function orderOf(
  { stores, monitor }: Pick<Checked, 'stores'> & Partial<Pick<Checked, 'monitor'>>,
  wanted: readonly string[] = Object.keys(stores),
): readonly string[] {
  const known = Object.keys(stores)
  const order: string[] = []
  const visit = ({ name, path }: Reference, above: readonly string[]): void => {
    if (name.includes(':'))
      throw wrong(path, 'a URL cannot stand here. Give it a name under `stores`, and write that name')
    if (!Object.hasOwn(stores, name))
      throw wrong(path, `there is no store '${name}'. ${instead(name, known)}`)
    if (above.includes(name)) {
      const circle = [...above.slice(above.indexOf(name)), name]
      throw wrong(path, `the stores name each other in a circle: ${circle.join(' → ')}`)
    }
    if (order.includes(name)) return
    for (const reference of referencesOf(name, stores[name] as StoreConfiguration))
      visit(reference, [...above, name])
    order.push(name)
  }
  if (monitor?.keepIn !== undefined) visit({ name: monitor.keepIn, path: 'monitor.keepIn' }, [])
  for (const name of wanted) visit({ name, path: `stores.${name}` }, [])
  return order
}

/** The stores that a store names. */
export function referencesOf(name: string, store: StoreConfiguration): readonly Reference[] {
  const path = `stores.${name}`
  const pairs = (['mirror', 'fallback'] as const).flatMap((kind) => {
    const pair = store[kind]
    if (pair === undefined) return []
    return (['primary', 'secondary', 'journal'] as const).flatMap((side) =>
      typeof pair[side] === 'string' ? [{ name: pair[side], path: `${path}.${kind}.${side}` }] : [],
    )
  })
  const from = store.from === undefined ? [] : [{ name: store.from, path: `${path}.from` }]
  return [
    ...from,
    ...pairs,
    ...(store.layers ?? []).flatMap((layer, i) => namedIn(layer, `${path}.layers[${i}]`)),
  ]
}

/** Stores that the options of a layer name. */
function namedIn(layer: unknown, path: string): readonly Reference[] {
  if (!isPlainObject(layer)) return []
  return Object.entries(storeOptions).flatMap(([name, options]) => {
    const given = layer[name]
    if (!isPlainObject(given)) return []
    return options.flatMap((option) =>
      typeof given[option] === 'string' ? [{ name: given[option], path: `${path}.${name}.${option}` }] : [],
    )
  })
}
