import { StoreError } from '@unikv/core'
import {
  type KnownStore,
  knownStores,
  type Requirements,
  requirementsIn,
  type Screened,
  screen,
  withFacts,
} from '@unikv/stores/knowledge'

/** The facts of a command line: those of unikv, and those of `--facts`. */
export interface Knowledge {
  readonly stores: readonly KnownStore[]
  readonly requirements: Requirements
}

/**
 * The facts that a command goes by.
 *
 * @param file - YAML or JSON with stores and facts of one's own
 * @param require - requirements as on the command line, such as `transactions=any`
 * @throws {StoreError} `INVALID_CONFIG` that names what is wrong, and where
 */
export async function knowledgeOf(
  file: string | undefined,
  require: readonly string[] = [],
): Promise<Knowledge> {
  const asked = require.map(required)
  const names = asked.map(([name]) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined)
    throw new StoreError(
      'INVALID_CONFIG',
      `--require names ${twice} twice. Join words like queries=filter+join.`,
    )
  const requirements = requirementsIn(Object.fromEntries(asked), '--require')
  if (file === undefined) return { stores: knownStores, requirements }
  const { loadConfig } = await import('@unikv/manager')
  const data: unknown = await loadConfig(file)
  return { stores: withFacts(data, file), requirements }
}

/** Each store beside the requirements, by name. */
export function screenedBy({ stores, requirements }: Knowledge): ReadonlyMap<string, Screened> {
  return new Map(screen(requirements, stores).map((one) => [one.store, one]))
}

/** That unikv does not open a store, and why, where that is known. */
export function unopenedText({ title, unopened }: KnownStore): string {
  return `unikv has no adapter for ${title}${unopened === undefined ? '' : `: ${unopened}`}.`
}

/** `tls` is a flag or anything at all; `queries=filter+join` are several words. */
function required(text: string): readonly [string, unknown] {
  const [name = '', value] = text.split('=', 2)
  if (value === undefined || value === 'yes') return [name, true]
  if (value === 'no') return [name, false]
  return [name, value.includes('+') ? value.split('+') : value]
}
