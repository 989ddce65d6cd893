import { type Command, Option } from 'commander'
import { collect, wholeIn } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'
import { dialects } from './dialects.ts'
import type { ServeOptions } from './serve.ts'

/** Add `unikv serve`: stores over HTTP. */
export function serveCommand(command: Command, terminal: Terminal): void {
  command
    .description('serve stores over HTTP, for programs that have no TCP or no driver')
    .argument('[stores...]', 'NAME=URL, or names in the configuration (default: all of the configuration)')
    .option('--config <file>', 'the configuration (default: unikv.config.* in this folder)')
    .addOption(
      new Option('--as <form>', 'what values of a URL are (default: bytes)').choices([
        'text',
        'json',
        'bytes',
      ]),
    )
    .addOption(
      new Option('--dialect <name>', 'what it speaks: its own, or that of @upstash/redis or of unstorage')
        .choices(dialects)
        .default('unikv'),
    )
    .option('--port <port>', 'where it listens', wholeIn(0, 65_535), 7700)
    .option(
      '--host <address>',
      'the address that it listens on; others than this machine: 0.0.0.0',
      '127.0.0.1',
    )
    .option('--hostname <name>', 'a further name by which it is reached, may be repeated', collect)
    .option('--token <secret>', 'what callers send (default: UNIKV_TOKEN, or a new one that is printed)')
    .option('--read-only', 'refuse every change')
    .option('--unprotected', 'no token: everybody who reaches it may do everything')
    .option('--origin <url>', 'a web page that may use it from a browser, may be repeated', collect)
    .option('--rate <n>', 'most requests a second', wholeIn(1, 1_000_000))
    .option('--max-body <bytes>', 'longest value or batch', wholeIn(1, 1_073_741_824), 16_777_216)
    .option(
      '--max-stream <bytes>',
      'longest value that a store with the layer parts takes as a stream (default: --max-body)',
      wholeIn(1, 1_099_511_627_776),
    )
    .option('--tls-cert <file>', 'certificate in PEM, for HTTPS')
    .option('--tls-key <file>', 'its private key in PEM')
    .option('--debug', 'show stack traces')
    .addHelpText(
      'after',
      `
Examples:
  unikv serve                                       all stores of the configuration in this folder
  unikv serve users=redis://127.0.0.1 --as json     one store by its URL
  unikv serve db=lmdb:./data --dialect upstash      a database of @upstash/redis at /db
  curl -H "Authorization: Bearer $UNIKV_TOKEN" http://127.0.0.1:7700/v1/stores/users/records/ada`,
    )
    .action(async (stores: readonly string[], options: ServeOptions) => {
      const { serve } = await import('./serve.ts')
      await serve(stores, options, terminal)
    })
}
