import { BigNumber } from 'bignumber.js'
import type { Element } from '../tree/element.ts'
import { wrongAt } from '../tree/trail.ts'
import { dataOf } from './data.ts'
import { type Data, isDataMap, isList, isNumberText, type NumberText } from './data-kinds.ts'

/**
 * The JSON view of an element as plain data: what `JSON.parse` makes of its JSON.
 *
 * @throws {StoreError} `INVALID_CONFIG` if a type does not fit, or a number has more digits than JavaScript can hold
 */
export function plainData(own: Element): unknown {
  return plain(dataOf(own), own)
}

function plain(data: Data, own: Element): unknown {
  if (isNumberText(data)) return numberOf(data, own)
  if (isList(data)) return data.map((one) => plain(one, own))
  if (!isDataMap(data)) return data
  // Also defines keys such as __proto__.
  return Object.fromEntries([...data].map(([key, value]) => [key, plain(value, own)]))
}

function numberOf({ digits, trail }: NumberText, own: Element): number {
  const number = Number(digits)
  if (/^-?[\d.]{1,15}$/.test(digits) || (Number.isFinite(number) && new BigNumber(digits).eq(String(number))))
    return number
  throw wrongAt(
    trail ?? { element: own, parent: undefined },
    'a number has more digits than JavaScript can hold. Leave out type="number" to have a text',
  )
}
