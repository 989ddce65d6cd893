import { type Command, InvalidArgumentError } from 'commander'

/** An option that may be repeated. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value]
}

/** An option whose value may be JSON: a configuration file may have objects in its place. */
export function json(value: string): string {
  return value
}

/** Whether an option of a command takes JSON. */
export function takesJson(command: Command, [name, ...others]: readonly string[], flag: string): boolean {
  const below = command.commands.find((one) => one.name() === name)
  if (below !== undefined) return takesJson(below, others, flag)
  return command.options.some(({ long, parseArg }) => long === `--${flag}` && parseArg === json)
}

/** A list with commas, which may be repeated. */
export function list(value: string, earlier: readonly string[] = []): string[] {
  const names = value.split(',').map((name) => name.trim())
  if (names.includes('')) throw new InvalidArgumentError('A name in the list is empty.')
  return [...earlier, ...names]
}

/** Refuse a second value of options that take one, here and in all commands below: the first would be ignored. */
export function refuseRepeated(command: Command): void {
  for (const option of command.options) {
    const takesMany = option.parseArg === collect || option.parseArg === list
    if (takesMany || option.isBoolean()) continue
    let isGiven = false
    command.on(`option:${option.name()}`, () => {
      if (isGiven) command.error(`error: option '${option.flags}' was given twice, but takes one value.`)
      isGiven = true
    })
  }
  for (const below of command.commands) refuseRepeated(below)
}

/** Refuse help on a command that is not there, in place of that of the command above: a script would take it for the answer. */
export function refuseUnknownHelp(command: Command, [name, next, ...others]: readonly string[]): void {
  const below = command.commands.find((one) => one.name() === name)
  if (below !== undefined) refuseUnknownHelp(below, next === undefined ? [] : [next, ...others])
  else if (name === 'help' && next !== undefined && !next.startsWith('-') && command.commands.length > 0)
    if (!command.commands.some((one) => one.name() === next))
      command.error(`error: unknown command '${next}'. Commands are listed by --help.`)
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
