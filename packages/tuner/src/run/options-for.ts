import type { Option } from '../decide/decide.ts'
import type { Facts, Tactic, TunedStore } from '../tactic.ts'

/** All changes that tactics could make to a store. A tactic whose look at the server fails has none, and its error is told. */
export async function optionsFor(
  tactics: readonly Tactic[],
  at: TunedStore,
  known: Pick<Facts, 'configuration' | 'work' | 'server'>,
  onError: (error: unknown) => void,
  onFound: (found: unknown) => void = () => {},
): Promise<readonly Option[]> {
  const { name: store, kind, table } = at
  const options: Option[] = []
  for (const tactic of tactics) {
    try {
      const found = await tactic.look?.(at, known.work)
      onFound(found)
      for (const candidate of tactic.applies({ store, kind, table, ...known, found }))
        options.push({ tactic: tactic.name, candidate })
    } catch (error) {
      onError(error)
    }
  }
  return options
}
