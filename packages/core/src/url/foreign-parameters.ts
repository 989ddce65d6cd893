import { StoreError } from '../contract/errors.ts'
import { refuseTwice } from './parameters.ts'

/**
 * How unikv treats a parameter that a hosting provider or another client put into a URL: it ignores it, if it changes
 * nothing here; a parameter of unikv; or a refusal that says what to write instead.
 */
export type Meaning = 'nothing' | readonly [name: string, value: string] | { readonly instead: string }

/** Foreign parameters by name in lower case. */
export type ForeignParameters = Readonly<Record<string, (value: string) => Meaning>>

/** For a parameter that changes nothing for unikv, at any value. */
export const nothing = (): Meaning => 'nothing'

/** For a parameter that unikv knows by another name. */
export function sameAs(name: string): (value: string) => Meaning {
  return (value) => [name, value]
}

/** For a parameter that a URL cannot express here. */
export function instead(sentence: string): () => Meaning {
  return () => ({ instead: sentence })
}

/** For a parameter of two values: `true` (also `1`) and all others. */
export function ifTrue(yes: Meaning, no: Meaning): (value: string) => Meaning {
  return (value) => (/^(true|1)$/i.test(value) ? yes : no)
}

/**
 * The parameters of a URL with foreign ones replaced by ours, so that one `DATABASE_URL` serves several libraries. A
 * parameter of ours that stands there already wins.
 *
 * @throws {StoreError} `INVALID_CONFIG` for one that has no meaning here, with what to write instead
 */
export function translated(
  scheme: string,
  parameters: URLSearchParams,
  foreign: ForeignParameters,
): URLSearchParams {
  refuseTwice(scheme, parameters, Object.keys(foreign))
  const ours = new URLSearchParams()
  const added: (readonly [string, string])[] = []
  for (const [name, value] of parameters) {
    const rule = Object.hasOwn(foreign, name.toLowerCase()) ? foreign[name.toLowerCase()] : undefined
    const meaning = rule === undefined ? ([name, value] as const) : rule(value)
    if (meaning === 'nothing') continue
    if ('instead' in meaning)
      throw new StoreError('INVALID_CONFIG', `A ${scheme} URL cannot take ${name}. ${meaning.instead}`)
    if (rule === undefined) ours.append(...meaning)
    else added.push(meaning)
  }
  for (const [name, value] of added) if (!ours.has(name)) ours.set(name, value)
  return ours
}
