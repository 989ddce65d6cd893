import type { KeptTrouble } from '../log/action.ts'
import { figureText } from './figure-text.ts'

/** A trouble in one sentence: the promise, and the figure that was found. */
export function troubleText(trouble: KeptTrouble): string {
  const { promise, found, limit, unit, of } = trouble
  const [now, wanted] = [figureText(found, unit), figureText(limit, unit)]
  if (of.figure === 'resource') return `${capital(promise)} should stay below ${wanted}, and is ${now}.`
  if (of.figure !== 'latency')
    return `${capital(promise)} was promised to stay ${isAtLeast(trouble) ? 'above' : 'below'} ${wanted}, and is ${now}.`
  const calls =
    of.name === 'native'
      ? 'native calls (queries of the program)'
      : of.name.startsWith('by ')
        ? `queries ${of.name}`
        : `calls of ${of.name}`
  const share = `${of.percentile ?? 99} %`
  return `The promise is that ${share} of the ${calls} of ${trouble.store} take less than ${wanted}. As measured, ${share} of them take up to ${now}.`
}

function capital(text: string): string {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`
}

/** Whether a figure keeps the promise. */
export function isHeld(figure: number, trouble: KeptTrouble): boolean {
  return isAtLeast(trouble) ? figure >= trouble.limit : figure < trouble.limit
}

/** Whether the promise is about a figure that must be high. */
export function isAtLeast({ promise, unit }: KeptTrouble): boolean {
  return unit === 'share' && promise.startsWith('hit rate')
}
