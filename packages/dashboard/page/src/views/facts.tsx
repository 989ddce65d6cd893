import { useState } from 'preact/hooks'
import { useJson } from '../hooks.ts'
import { numberText } from '../units.ts'

interface StoreFacts {
  readonly name: string
  readonly title: string
  readonly variants: readonly [{ readonly capabilities: Capabilities }]
  readonly costs: Readonly<Record<string, string>>
  readonly notes: readonly string[]
}

interface Capabilities {
  readonly scan: false | { readonly order: string; readonly prefix: string }
  readonly ttl: false | { readonly kind: string }
  readonly conditionalWrite: boolean
  readonly increment: boolean
  readonly maxKeyBytes: number
  readonly maxValueBytes: number
  readonly durability: string
  readonly isolation: string
  readonly batch: { readonly atomicity: string }
}

const rows: readonly (readonly [string, (store: StoreFacts) => string])[] = [
  ['durability', (store) => capabilities(store).durability],
  ['isolation', (store) => capabilities(store).isolation],
  ['conditions', (store) => yes(capabilities(store).conditionalWrite)],
  ['counters', (store) => yes(capabilities(store).increment)],
  ['expiry', (store) => kind(capabilities(store).ttl)],
  [
    'listing',
    ({
      variants: [
        {
          capabilities: { scan },
        },
      ],
    }) => (scan === false ? '–' : `${scan.prefix}, order ${scan.order}`),
  ],
  ['atomic batches', (store) => capabilities(store).batch.atomicity],
  ['longest key', (store) => `${numberText(capabilities(store).maxKeyBytes)} B`],
  ['longest value', (store) => `${numberText(capabilities(store).maxValueBytes)} B`],
  ['a read costs', ({ costs }) => costs['read'] ?? ''],
  ['a set costs', ({ costs }) => costs['set'] ?? ''],
  ['a conditional set costs', ({ costs }) => costs['conditionalSet'] ?? ''],
  ['to know', ({ notes }) => notes.join(' ')],
]

/** What each store can do, side by side. */
export function FactsView({ used }: { readonly used: readonly string[] }) {
  const { value: all, error } = useJson<readonly StoreFacts[]>('api/facts')
  const [chosen, choose] = useState<readonly string[]>()
  if (error !== undefined) return <p class="status">{error.message}</p>
  if (all === undefined) return <p class="soft">Loading …</p>
  const names = chosen ?? (used.length > 0 ? [...new Set(used)] : ['redis', 'postgres'])
  const shown = all.filter(({ name }) => names.includes(name))
  return (
    <>
      <h1>Facts</h1>
      <fieldset class="choices">
        <legend>Stores side by side</legend>
        {all.map(({ name, title }) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={names.includes(name)}
              onChange={() =>
                choose(names.includes(name) ? names.filter((one) => one !== name) : [...names, name])
              }
            />
            {title}
          </label>
        ))}
      </fieldset>
      <div class="scroll" tabIndex={0} role="region" aria-label="Facts">
        <table class="facts">
          <thead>
            <tr>
              <th />
              {shown.map(({ name, title }) => (
                <th key={name}>{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([head, text]) => (
              <tr key={head}>
                <th scope="row">{head}</th>
                {shown.map((store) => (
                  <td key={store.name}>{text(store)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

function capabilities({ variants }: StoreFacts): Capabilities {
  return variants[0].capabilities
}

function yes(has: boolean): string {
  return has ? 'yes' : '–'
}

function kind(ttl: Capabilities['ttl']): string {
  return ttl === false ? '–' : ttl.kind
}
