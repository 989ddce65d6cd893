import { script } from '../server/scripts.ts'
import { setLua, setManyLua, takingText, textArguments } from './rest-encoding.ts'

/** A command as the adapter makes it. */
export interface RestCommand {
  readonly name: string
  readonly args: readonly (string | Buffer)[]
}

/** Scripts that take text, by the SHA-1 of those that take bytes. They are known once their text was sent. */
export type KnownScripts = Map<string, { readonly lua: string; readonly sha: string }>

/**
 * The words of a command as text; `undefined`: its script is not known yet, and must come with its text.
 */
export function wordsOf({ name, args }: RestCommand, known: KnownScripts): readonly string[] | undefined {
  if (name === 'evalsha') {
    const own = known.get(String(args[0]))
    return own && ['EVALSHA', own.sha, ...inScript(args.slice(1))]
  }
  if (name === 'eval') return ['EVAL', remembered(String(args[0]), known), ...inScript(args.slice(1))]
  if (name === 'set') return setWords(args)
  if (name === 'mset') return manySetWords(args)
  return [name.toUpperCase(), ...args.map(String)]
}

/** The number of keys, the keys, and the arguments. */
function inScript([count, ...rest]: readonly (string | Buffer)[]): readonly string[] {
  const keys = rest.slice(0, Number(count)).map(String)
  return [String(count), ...keys, ...textArguments(rest.slice(Number(count)))]
}

function remembered(lua: string, known: KnownScripts): string {
  const own = takingText(lua)
  known.set(script(lua).sha, own)
  return own.lua
}

const setScript = takingText(setLua)
const setManyScript = takingText(setManyLua)

function setWords([key, ...args]: readonly (string | Buffer)[]): readonly string[] {
  return ['EVAL', setScript.lua, '1', String(key), ...textArguments(args)]
}

function manySetWords(args: readonly (string | Buffer)[]): readonly string[] {
  const keys = args.filter((_, i) => i % 2 === 0).map(String)
  const records = args.filter((_, i) => i % 2 === 1)
  return ['EVAL', setManyScript.lua, String(keys.length), ...keys, ...textArguments(records)]
}
