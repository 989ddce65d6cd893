import { InvalidArgumentError } from 'commander'

/** An option that may be repeated. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value]
}

/** An option that takes a whole number. */
export function wholeIn(min: number, max: number): (text: string) => number {
  const range = `It must be a whole number from ${min} to ${max}.`
  return (text) => checked(text, (value) => Number.isInteger(value) && value >= min && value <= max, range)
}

/** An option that takes a number. */
export function numberIn(min: number, max: number): (text: string) => number {
  return (text) =>
    checked(text, (value) => value >= min && value <= max, `It must be a number from ${min} to ${max}.`)
}

function checked(text: string, isRight: (value: number) => boolean, rule: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (isRight(value)) return value
  throw new InvalidArgumentError(rule)
}
