import { maskUrl } from '@unikv/stores/lazy'
import type { SessionConfig } from '../config.ts'
import type { EventResult, MonitorResult } from '../result.ts'

/** A URL whose user info names nothing but a variable of the environment, which is not a secret. */
const ofVariables = /^([a-z][a-z\d+.-]*:\/\/)((?:[\w.-]*:)?\$\{\w+\}@)([^@]*)$/i

/** A URL in a text: everything up to the last `@` before white space may be user info, as passwords may hold quotes and brackets. */
const inText = /[a-z][a-z\d+.-]*:\/\/(?:\S*@)?[^\s"'<>]*/gi

/** A text of a document as results may show it: the URLs in it without user info and parameters that could hold a secret. */
export function shownText(text: string): string {
  if (/^\s*[a-z][a-z\d+.-]*:\/\//i.test(text)) return shownUrl(text.trim())
  return text.replace(inText, shownUrl)
}

/** Parameters of a job as results may show them. */
export function shownParameters(parameters: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, shownText(value)]))
}

/** A configuration as results may show it. */
export function shownConfig(config: SessionConfig): SessionConfig {
  const events = config.events.map((event) => ({ ...event, command: shownText(event.command) }))
  const monitors = config.monitors.map((one) => ({
    ...one,
    ...(one.command !== undefined && { command: shownText(one.command) }),
  }))
  return { ...config, parameters: shownParameters(config.parameters), events, monitors }
}

/** An event as results may show it. */
export function shownEvent(event: EventResult): EventResult {
  return { ...event, command: shownText(event.command), output: shownText(event.output) }
}

/** Numbers of a monitor as results may show them. */
export function shownMonitor(monitor: MonitorResult): MonitorResult {
  return { ...monitor, problem: monitor.problem === null ? null : shownText(monitor.problem) }
}

function shownUrl(url: string): string {
  const [, scheme, variable = '', rest = ''] = ofVariables.exec(url) ?? []
  if (scheme === undefined) return maskUrl(url)
  return scheme + variable + maskUrl(scheme + rest).slice(scheme.length)
}
