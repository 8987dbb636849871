import type { JobMessage } from '../message.ts';
import { linkToJob, messageText } from './text.ts';

/** The body for an incoming webhook of Slack, and of programs that accept the same format. */
export interface SlackBody {
  text: string;
}

/** Creates the body for Slack. `page` is the address of the web page for the link to the Job, or null. */
export function slackBody(message: JobMessage, page: string | null): SlackBody {
  const { cluster, namespace, name } = message.data;
  const { verb, why } = messageText(message);
  const link = linkToJob(page, message);
  const job = `*${escapeMarkup(`${namespace}/${name}`)}*`;
  const first = `${slackSymbol(message)} ${link === null ? job : `<${escapeMarkup(link)}|${job}>`} ${verb} (${escapeMarkup(cluster)})`;
  return { text: why === null ? first : `${first}\n${escapeMarkup(why)}` };
}

function slackSymbol(message: JobMessage): string {
  switch (message.type) {
    case 'dev.jobledger.job.started.v1':
      return ':arrow_forward:';
    case 'dev.jobledger.job.attempt-failed.v1':
      return ':warning:';
    case 'dev.jobledger.job.ended.v1':
      return message.data.condition === 'Failed' ? ':x:' : ':white_check_mark:';
  }
}

/**
 * Escapes the three characters that have a meaning in Slack's markup, so that a text can neither contain a link nor
 * mention a user.
 */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
