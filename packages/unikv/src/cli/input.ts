import { createInterface } from 'node:readline/promises'

/** Everything on standard input. */
export async function standardInput(): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of process.stdin) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** Ask the person at the terminal. Anything but yes is no, and so are Ctrl-C and Ctrl-D. */
export async function asked(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim())
  } catch {
    process.stderr.write('\n')
    return false
  } finally {
    terminal.close()
  }
}
