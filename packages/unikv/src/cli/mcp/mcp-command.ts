import { type Command, Option } from 'commander'
import type { Terminal } from '../terminal.ts'
import type { McpCommandOptions } from './mcp.ts'

/** Add `unikv mcp`: tools for models, which only read. */
export function mcpCommand(command: Command, terminal: Terminal): void {
  command
    .description('let a model look at stores and results: read-only tools of the Model Context Protocol')
    .argument(
      '[stores...]',
      'URLs, NAME=URL, folders with results, or nothing: all stores of the configuration',
    )
    .option('--config <file>', 'the configuration (default: unikv.config.* in this folder)')
    .addOption(
      new Option('--as <form>', 'what values of a URL are (default: bytes)').choices([
        'text',
        'json',
        'bytes',
      ]),
    )
    .option('--debug', 'show stack traces')
    .addHelpText(
      'after',
      `
It speaks on standard input and output, and needs @modelcontextprotocol/sdk.

Examples:
  unikv mcp                                all stores of the configuration in this folder
  unikv mcp users=redis://127.0.0.1 results/ --as json`,
    )
    .action(async (stores: readonly string[], options: McpCommandOptions) => {
      const { serveMcp } = await import('./mcp.ts')
      await serveMcp(stores, options, terminal)
    })
}
