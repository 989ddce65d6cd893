export { type OpenTelemetryMetricsOptions, openTelemetryMetrics } from './metrics.ts'
export { type OpenTelemetryOptions, openTelemetry } from './open-telemetry.ts'
