/** Light or dark: the system's choice, unless a button says otherwise. */

export function addThemes(page: Document): void {
  const group = page.querySelector<HTMLElement>('.themes');
  if (group === null) return;
  group.hidden = false;
  const buttons = [...group.querySelectorAll('button')];
  for (const button of buttons) {
    button.addEventListener('click', () => {
      const choice = button.dataset.themeChoice ?? 'system';
      if (choice === 'system') delete page.documentElement.dataset.theme;
      else page.documentElement.dataset.theme = choice;
      for (const other of buttons) other.ariaPressed = String(other === button);
    });
  }
}
