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

process.exitCode = await run({
  arguments: process.argv.slice(2),
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
  columns: process.stderr.isTTY ? (process.stderr.columns ?? 80) : undefined,
  onInterrupt: (interrupted) => void interruptions.push(interrupted),
})
