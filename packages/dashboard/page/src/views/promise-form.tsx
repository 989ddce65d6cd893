import { useEffect, useRef } from 'preact/hooks'
import type { PromiseView } from '../api.ts'

type Policy = PromiseView['policy']

interface FormProps {
  readonly stores: readonly string[]
  /** The promise that is changed; `undefined`: a new one. */
  readonly policy: Policy | undefined
  readonly done: (policy: Policy) => void
  readonly leave: () => void
}

const operations = [
  'read',
  'set',
  'delete',
  'touch',
  'increment',
  'scan',
  'native',
  'transaction',
  'recovery',
]

/** Kinds of limits, and the factor between what is typed and what is configured. */
const kinds = {
  belowMs: ['latency below, in ms', 1],
  maxErrorShare: ['errors at most, in %', 100],
  minHitRate: ['hit rate at least, in %', 100],
} as const

type Kind = keyof typeof kinds

/** One promise. The server checks it. */
export function PromiseForm({ stores, policy, done, leave }: FormProps) {
  const kind = (Object.keys(kinds) as Kind[]).find((name) => policy?.[name] !== undefined) ?? 'belowMs'
  const limit = policy?.[kind]
  const form = useRef<HTMLFormElement>(null)
  // A promise that was chosen is changed here, so the keyboard goes on here.
  useEffect(() => {
    if (policy !== undefined) form.current?.querySelector('select')?.focus()
  }, [])
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        done(policyIn(new FormData(event.currentTarget)))
      }}
    >
      <Choice name="store" label="Store" choices={stores} chosen={policy?.store} />
      <label>
        Operation
        <input name="operation" list="operations" required defaultValue={policy?.operation ?? 'read'} />
      </label>
      <datalist id="operations">
        {operations.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <label>
        Promise
        <select name="kind">
          {Object.entries(kinds).map(([name, [title]]) => (
            <option key={name} value={name} selected={name === kind}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <Figure
        name="limit"
        label="Limit"
        value={limit === undefined ? undefined : shown(limit * kinds[kind][1])}
        isNeeded
      />
      <Figure name="percentile" label="Percentile of latency (99)" value={policy?.percentile} />
      <Choice name="over" label="Over" choices={['5s', '30s', '5min']} chosen={policy?.over ?? '30s'} />
      <Figure name="minCalls" label="Least calls to judge (20)" value={policy?.minCalls} />
      <button type="submit">{policy === undefined ? 'Add' : 'Change'}</button>
      {policy !== undefined && (
        <button type="button" onClick={leave}>
          Leave it
        </button>
      )}
    </form>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly label: string
  readonly choices: readonly string[]
  readonly chosen: string | undefined
}

function Choice({ name, label, choices, chosen }: ChoiceProps) {
  return (
    <label>
      {label}
      <select name={name} required>
        {choices.map((choice) => (
          <option key={choice} value={choice} selected={choice === chosen}>
            {choice}
          </option>
        ))}
      </select>
    </label>
  )
}

interface FigureProps {
  readonly name: string
  readonly label: string
  readonly value: number | undefined
  readonly isNeeded?: boolean
}

function Figure({ name, label, value, isNeeded = false }: FigureProps) {
  return (
    <label>
      {label}
      <input name={name} type="number" min="0" step="any" required={isNeeded} defaultValue={value ?? ''} />
    </label>
  )
}

/** The promise that was typed, without fields that were left empty. */
function policyIn(form: FormData): Policy {
  // There are no files in this form.
  const text = (name: string): string => ((form.get(name) ?? '') as string).trim()
  const figure = (name: string): object => (text(name) === '' ? {} : { [name]: Number(text(name)) })
  const kind = text('kind') as Kind
  const made = {
    store: text('store'),
    operation: text('operation'),
    ...(text('over') === '30s' ? {} : { over: text('over') }),
    ...figure('percentile'),
    [kind]: shown(Number(text('limit')) / kinds[kind][1]),
    ...figure('minCalls'),
  }
  return made as Policy
}

/** Without the last digits of a division by a hundred. */
function shown(value: number): number {
  return Number(value.toPrecision(12))
}
