/** One meta command. */
export interface Command {
  /** The command without its opaque and line break, in ASCII. */
  readonly line: string
  /** The data behind it. */
  readonly data?: Uint8Array | undefined
  /** The first words of the replies that it can have. */
  readonly replies: string
}

const carriageReturn = 13
const lineFeed = 10

/** The commands in one piece, each with an opaque: the first of these, and one more for each further command. */
export function frameOf(commands: readonly Command[], opaque: number): string | Uint8Array {
  const [first] = commands as readonly [Command]
  if (commands.length === 1 && first.data === undefined) return `${first.line} O${opaque}\r\n`
  const heads = commands.map(({ line }, i) => `${line} O${opaque + i}\r\n`)
  if (commands.every(({ data }) => data === undefined)) return heads.join('')
  const bytes = commands.reduce((sum, { data }, i) => sum + lengthOf(heads[i]) + lengthOf(data) + 2, 0)
  const frame = Buffer.allocUnsafe(bytes)
  let at = 0
  for (const [i, { data }] of commands.entries()) {
    at += frame.write(heads[i] as string, at, 'latin1')
    if (data === undefined) continue
    frame.set(data, at)
    at += data.length
    frame[at++] = carriageReturn
    frame[at++] = lineFeed
  }
  return frame.subarray(0, at)
}

/** Frames in one piece. */
export function joined(frames: readonly (string | Uint8Array)[]): string | Uint8Array {
  if (frames.length === 1) return frames[0] as string | Uint8Array
  return Buffer.concat(
    frames.map((frame) => (typeof frame === 'string' ? Buffer.from(frame, 'latin1') : frame)),
  )
}

function lengthOf(part: { readonly length: number } | undefined): number {
  return part === undefined ? 0 : part.length
}
