export { type Dashboard, dashboard } from './dashboard.ts'
export type { AnswerableTuner, DashboardOptions, Look, ShownManager } from './options.ts'
export type { ReportEntry, Reports, RunningEntry } from './reports.ts'
