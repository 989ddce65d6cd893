import { createInterface } from 'node:readline/promises'
import { exitCodes } from './cli/exit-code.ts'
import { flushed, outputTo } from './cli/output.ts'
import { run } from './cli/program.ts'

const interruptions: (() => void)[] = []

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  let isRepeated = false
  process.on(signal, () => {
    if (isRepeated || interruptions.length === 0) process.exit(130)
    isRepeated = true
    for (const interrupted of interruptions) interrupted()
  })
}

const { write: error } = outputTo(process.stderr, () => {})
const { write: out, drained } = outputTo(process.stdout, (code) => {
  process.exitCode = exitCodes.failure
  error(`unikv: The output could not be written (${code}).\n`)
})

// A module of the user's data that waits for nothing which could still come leaves the process without work.
process.once('beforeExit', () => {
  error('unikv: The command is waiting for a promise that never settles, such as one of a data module.\n')
  process.exit(exitCodes.failure)
})

const exitCode = await run({
  arguments: process.argv.slice(2),
  out,
  drained,
  error,
  columns: process.stderr.isTTY ? process.stderr.columns || 80 : undefined,
  width: process.stdout.isTTY ? process.stdout.columns || 80 : undefined,
  // Also says no for NO_COLOR.
  hasColors: process.stdout.isTTY && process.stdout.hasColors(),
  readInput: standardInput,
  stdout: process.stdout,
  stdin: process.stdin,
  confirm: process.stdin.isTTY && process.stderr.isTTY ? asked : undefined,
  onInterrupt: (interrupted) => void interruptions.push(interrupted),
})
await Promise.all([flushed(process.stdout), flushed(process.stderr)])
// A data module may leave timers or sockets open: they must not keep the command from ending.
process.exit(exitCode === exitCodes.ok ? process.exitCode : exitCode)

/** Everything on standard input. */
async function standardInput(): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of process.stdin) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** Ask the person at the terminal. Anything but yes is no, and so are Ctrl-C and Ctrl-D. */
async function asked(question: string): Promise<boolean> {
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
