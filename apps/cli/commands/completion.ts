import type { Command } from 'commander';
import { Stop } from '../stop.ts';

/**
 * The scripts ask the program itself what fits, so that they never get old. That for zsh also works as the file
 * `_latchkey` in a folder of functions: then zsh runs it when somebody completes for the first time.
 */
const scripts: Readonly<Record<string, string>> = {
  bash: `_latchkey() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(latchkey __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _latchkey latchkey
`,
  zsh: `#compdef latchkey
_latchkey() {
  local -a found
  local line
  while IFS= read -r line; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(latchkey __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe latchkey found; else _files; fi
}
if [[ $funcstack[1] == _latchkey ]]; then
  _latchkey
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _latchkey latchkey
fi
`,
  fish: `function __latchkey_complete
  set -l words (commandline -opc) (commandline -ct)
  latchkey __complete $words[2..-1] 2>/dev/null
end
complete -c latchkey -f -a '(__latchkey_complete)'
`,
};

export function completionCommands(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands: bash, zsh or fish')
    .argument('<shell>')
    .addHelpText(
      'after',
      '\nbash:  eval "$(latchkey completion bash)"\nzsh:   eval "$(latchkey completion zsh)"\nfish:  latchkey completion fish | source',
    )
    .action((shell: string) => {
      const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
      if (script === undefined) throw new Stop('wrongUsage', `There is no completion for ${shell}.`);
      process.stdout.write(script);
    });
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .action((words: string[]) => {
      for (const [word, about] of candidates(program, words)) process.stdout.write(`${word}\t${about}\n`);
    });
}

/** The commands or options that can stand for the last of these words. */
function candidates(program: Command, words: readonly string[]): [word: string, about: string][] {
  let command = program;
  for (const word of words.slice(0, -1)) {
    command = command.commands.find((one) => one.name() === word) ?? command;
  }
  const last = words.at(-1) ?? '';
  const isHidden = (one: Command) => one.name().startsWith('__');
  const all: [string, string][] = last.startsWith('-')
    ? [...command.options, ...(command === program ? [] : program.options)].map((one) => [
        one.long ?? '',
        one.description,
      ])
    : command.commands.filter((one) => !isHidden(one)).map((one) => [one.name(), one.description()]);
  return all.filter(([word]) => word.startsWith(last));
}
